import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../..');
const textOf = (page: string) => readFileSync(path.join(root, page), 'utf8');
const pagesBelow = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join(folder, file));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'clients/typescript/README.md',
  ...['contributing', 'docs', 'deploy', 'examples', 'src'].flatMap(pagesBelow),
];

describe.each(pages)('%s', (page) => {
  it('links only to existing files and headings', () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.filter(([, file = '', heading]) => {
      const target = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, target))) return true;
      return heading !== undefined && !headingsOf(target).includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('names only existing files', () => {
    const named = [...textOf(page).matchAll(/`((?:src|test|docs|deploy|bench|scripts|openapi|examples)\/[\w./-]+)`/g)];
    const isMissing = ([, file = '']: string[]) => !existsSync(path.join(root, file));
    expect(page === 'CHANGELOG.md' ? [] : named.filter(isMissing).map(([name]) => name)).toEqual([]);
  });
});

/** Returns the anchors that GitHub generates for the headings of a page. */
function headingsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
