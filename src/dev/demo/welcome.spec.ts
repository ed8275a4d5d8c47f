import { browserUrl, welcomeText } from './welcome.js';

const url = 'http://localhost:3000';

const access = {
  demo: { apiKey: 'ffk_live_x', ids: {} },
  superAdmin: { email: 'admin@demo.example', password: 'secret' },
  hasConsole: true,
};

describe('the welcome on the screen', () => {
  it('shows the URLs, the key, the login and one request to try', () => {
    expect(welcomeText(url, access).split('\n')).toEqual([
      '',
      'URL: http://localhost:3000',
      'API reference: http://localhost:3000/docs',
      'Console: http://localhost:3000/console',
      'Demo API key: ffk_live_x',
      'Super admin: admin@demo.example / secret',
      '',
      'Try it in this folder:',
      '. .data/demo.env',
      'curl "$API/schedules?filter=live" -H "Authorization: Bearer $DEMO_API_KEY"',
      '',
      '',
    ]);
  });

  it('does not repeat a password that the operator chose', () => {
    const text = welcomeText(url, { demo: undefined, superAdmin: { email: 'root@example.com' }, hasConsole: true });
    expect(text).toContain('Super admin: root@example.com / the password of SUPER_ADMIN_PASSWORD');
  });

  it('leaves out the key and the request where there is no demo data', () => {
    const text = welcomeText(url, { demo: undefined, superAdmin: undefined, hasConsole: false });
    expect(text).not.toMatch(/Demo API key|curl|console/);
    expect(text).toContain('Super admin: as set at the first start');
  });

  it.each([
    ['http://127.0.0.1:3000', '0.0.0.0', 'http://localhost:3000'],
    ['http://[::1]:3000', '::', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', '127.0.0.1', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', '::1', 'http://[::1]:3000'],
    ['http://127.0.0.1:80', '0.0.0.0', 'http://localhost'],
  ])('names %s, listening on %s, as %s', (listening, host, expected) => {
    expect(browserUrl(listening, host)).toBe(expected);
  });
});
