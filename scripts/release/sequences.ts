// Twelve sequences of releases and updates. After each, an application has one copy of each of our packages, or its package
// manager has reported incompatible versions.
import type { ApplicationManager } from './managers.js';
import type { Change, ReleasedPackage } from './plan.js';

/** The packages of the sequences, each with what it needs: as in the workspace, in small. */
export const WORLD: readonly ReleasedPackage[] = [
  { name: '@sallyport/core', version: '0.1.0', needs: [] },
  { name: '@sallyport/http', version: '0.1.0', needs: ['@sallyport/core'] },
  { name: '@sallyport/secure', version: '0.1.0', needs: ['@sallyport/core', '@sallyport/http'] },
  { name: '@sallyport/jobs', version: '0.1.0', needs: ['@sallyport/core'] },
  { name: '@sallyport/testkit', version: '0.1.0', needs: ['@sallyport/core', '@sallyport/http'] },
];

/** The application before each sequence: its dependencies, all as `^0.1.0`. */
export const APPLICATION: readonly string[] = ['core', 'http', 'secure', 'testkit'].map((name) => `@sallyport/${name}`);

/** The action of its owner: `update` within its ranges, or install the newest versions of some packages. */
export type Action = 'update' | { readonly newest: readonly string[] };

export interface Sequence {
  readonly name: string;
  /** Releases in order; each is what its changesets state. */
  readonly releases: readonly Readonly<Record<string, Change['step']>>[];
  readonly action: Action;
  /** The versions afterwards, or `told`: the package manager reports incompatible versions. Several if package managers differ. */
  readonly expected: string | Readonly<Record<ApplicationManager, string>>;
}

const newest = (...names: readonly string[]): Action => ({ newest: names });
const ALL = newest('core', 'http', 'secure', 'testkit');

export const SEQUENCES: readonly Sequence[] = [
  {
    name: 'a fix of core, and an update',
    releases: [{ core: 'patch' }],
    action: 'update',
    expected: 'core 0.1.1, http 0.1.0, secure 0.1.0, testkit 0.1.0',
  },
  {
    name: 'a fix of http alone, and an update',
    releases: [{ http: 'patch' }],
    action: 'update',
    expected: 'core 0.1.0, http 0.1.1, secure 0.1.0, testkit 0.1.0',
  },
  {
    name: 'a fix of secure that needs a fix of core, and the newest secure',
    releases: [{ core: 'patch', secure: 'patch' }],
    action: newest('secure'),
    // npm moves core along. pnpm and yarn keep the version of the lock file, and report that secure requires a newer core.
    expected: {
      npm: 'core 0.1.1, http 0.1.0, secure 0.1.1, testkit 0.1.0',
      pnpm: 'told',
      yarn: 'told',
    },
  },
  {
    name: 'a break of core, and an update',
    releases: [{ core: 'minor' }],
    action: 'update',
    expected: 'core 0.1.0, http 0.1.0, secure 0.1.0, testkit 0.1.0',
  },
  {
    name: 'a break of core, a fix of http after it, and an update',
    releases: [{ core: 'minor' }, { http: 'patch' }],
    action: 'update',
    expected: 'core 0.1.0, http 0.1.0, secure 0.1.0, testkit 0.1.0',
  },
  {
    name: 'a break of core, and the newest of all',
    releases: [{ core: 'minor' }],
    action: ALL,
    expected: 'core 0.2.0, http 0.2.0, secure 0.2.0, testkit 0.2.0',
  },
  {
    name: 'a break of core, and the newest core alone',
    releases: [{ core: 'minor' }],
    action: newest('core'),
    expected: 'told',
  },
  {
    name: 'a break of core, and the newest http alone',
    releases: [{ core: 'minor' }],
    action: newest('http'),
    expected: 'told',
  },
  {
    name: 'a break of http, and the newest secure alone',
    releases: [{ http: 'minor' }],
    action: newest('secure'),
    expected: 'told',
  },
  {
    name: 'a break of http, and the newest of all: core stays',
    releases: [{ http: 'minor' }],
    action: ALL,
    expected: 'core 0.1.0, http 0.2.0, secure 0.2.0, testkit 0.2.0',
  },
  {
    name: 'two breaks of core, and the newest of all',
    releases: [{ core: 'minor' }, { core: 'minor' }],
    action: ALL,
    expected: 'core 0.3.0, http 0.3.0, secure 0.3.0, testkit 0.3.0',
  },
  {
    name: 'a break of core, and a new package beside the old ones',
    releases: [{ core: 'minor' }],
    action: newest('jobs'),
    expected: 'told',
  },
];
