import { ROOT } from '../check/command.js';
import { checkHosts, type HostResults, readHostResults, readHostVersions, renderHosts } from './mcp-hosts.js';

const RESULTS: HostResults = {
  date: '2026-11-24',
  rows: [
    {
      ...{ package: '@x/client', version: '2.4.0', mode: 'auto' },
      cells: {
        signIn: { works: true, how: 'registers itself' },
        app: { works: false, how: 'drops `_meta`' },
        task: null,
      },
    },
  ],
};

describe('the table of hosts', () => {
  it('is of the versions in the lock file and in the judge', () => {
    expect(readHostVersions(ROOT)).toHaveLength(6);
    expect(checkHosts(readHostResults(ROOT), readHostVersions(ROOT))).toEqual([]);
  });

  it('is stale after an update of a client', () => {
    expect(checkHosts(RESULTS, ['@x/client 2.5.0'])).toEqual([
      '@x/client 2.4.0 is not the version in use: npm run mcp:hosts',
      '@x/client 2.5.0 has no row: npm run mcp:hosts',
    ]);
  });

  it('lists features that work, that fail, and that a library does not have', () => {
    const page = renderHosts('a\n<!-- hosts: npm run mcp:hosts -->\nold\n<!-- /hosts -->\nb', RESULTS);
    expect(page.split('\n').slice(0, 4)).toEqual(['a', '<!-- hosts: npm run mcp:hosts -->', 'As of 2026-11-24:', '']);
    expect(page).toContain(
      '| `@x/client` | 2.4.0, `auto` | works: registers itself | – | – | – | – | – | no: drops `_meta` |',
    );
    expect(page).not.toContain('old');
  });
});
