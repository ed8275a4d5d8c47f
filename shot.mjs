import { chromium } from 'playwright-core';
const [,, email, password] = process.argv;
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const p = await b.newPage({ viewport: { width: 1440, height: 900 } });
p.on('console', m => m.type()==='error' && console.log('console', m.text()));
await p.goto('http://localhost:3111/console');
await p.waitForTimeout(800);
await p.screenshot({ path: '/tmp/shots/signin.png' });
await p.getByLabel('Email').fill(email);
await p.getByLabel('Password', {exact:false}).first().fill(password);
await p.getByRole('button', { name: /Sign in/ }).click();
await p.waitForTimeout(1500);
await p.screenshot({ path: '/tmp/shots/overview.png' });
for (const n of ['Organizations','Keys','Audit']) { await p.getByRole('link', { name: n, exact: false }).first().click(); await p.waitForTimeout(900); await p.screenshot({ path: `/tmp/shots/${n}.png` }); }
await p.getByRole('link', { name: 'Organizations' }).first().click(); await p.waitForTimeout(600);
await p.getByRole('main').getByRole('link').first().click(); await p.waitForTimeout(900); await p.screenshot({ path: '/tmp/shots/org.png' });
await p.goto('http://localhost:3111/docs'); await p.waitForTimeout(4000); await p.screenshot({ path: '/tmp/shots/docs.png' });
await b.close();
