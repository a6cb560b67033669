import { type Change, planReleases, type ReleasedPackage } from './plan.js';

/** `http` needs `core`, and `secure` needs both; no package needs `jobs`. */
function world(versions: Readonly<Record<string, string>> = {}): readonly ReleasedPackage[] {
  const needs = {
    core: [],
    http: ['core'],
    secure: ['core', 'http'],
    jobs: ['core'],
    vectors: [],
    'create-sallyport': [],
  };
  return Object.entries(needs).map(([name, list]) => ({ name, version: versions[name] ?? '0.1.0', needs: list }));
}

const planned = (changes: Readonly<Record<string, Change['step']>>, versions = {}) =>
  planReleases(
    world(versions),
    Object.entries(changes).map(([name, step]) => ({ name, step })),
  )
    .map(({ name, to }) => `${name} ${to}`)
    .join(', ');

describe('the versions of a release', () => {
  it.each<[string, Readonly<Record<string, Change['step']>>, Readonly<Record<string, string>>, string]>([
    ['a fix of core raises nobody else', { core: 'patch' }, {}, 'core 0.1.1, create-sallyport 0.1.1'],
    ['a fix of a package without dependents', { vectors: 'patch' }, {}, 'vectors 0.1.1, create-sallyport 0.1.1'],
    [
      'a break of core before 1.0 raises every dependent by a minor',
      { core: 'minor' },
      {},
      'core 0.2.0, http 0.2.0, secure 0.2.0, jobs 0.2.0, create-sallyport 0.2.0',
    ],
    ['a break of http leaves core and jobs', { http: 'minor' }, {}, 'http 0.2.0, secure 0.2.0, create-sallyport 0.2.0'],
    [
      'a dependent with a fix of its own still breaks',
      { core: 'minor', http: 'patch' },
      {},
      'core 0.2.0, http 0.2.0, secure 0.2.0, jobs 0.2.0, create-sallyport 0.2.0',
    ],
    [
      'the order of the changesets does not matter',
      { http: 'patch', core: 'minor' },
      {},
      'core 0.2.0, http 0.2.0, secure 0.2.0, jobs 0.2.0, create-sallyport 0.2.0',
    ],
    [
      'each dependent takes its own step',
      { core: 'minor' },
      { http: '0.7.3', jobs: '1.4.0' },
      'core 0.2.0, http 0.8.0, secure 0.2.0, jobs 2.0.0, create-sallyport 0.2.0',
    ],
    ['after 1.0 a minor keeps the ranges', { core: 'minor' }, { core: '1.2.3' }, 'core 1.3.0, create-sallyport 0.1.1'],
    [
      'after 1.0 a break is a major, and one of a dependent before 1.0 a minor',
      { core: 'major' },
      { core: '1.2.3' },
      'core 2.0.0, http 0.2.0, secure 0.2.0, jobs 0.2.0, create-sallyport 0.2.0',
    ],
    [
      'the first release',
      { core: 'minor', 'create-sallyport': 'minor' },
      { core: '0.0.0', http: '0.0.0', secure: '0.0.0', jobs: '0.0.0', 'create-sallyport': '0.0.0' },
      'core 0.1.0, http 0.1.0, secure 0.1.0, jobs 0.1.0, create-sallyport 0.1.0',
    ],
    ['nothing changed', {}, {}, ''],
  ])('%s', (_case, changes, versions, expected) => {
    expect(planned(changes, versions)).toBe(expected);
  });

  it('a changeset does not raise a package to 1.0.0', () => {
    expect(() => planned({ core: 'major' })).toThrow('raises core 0.1.0 by "major": before 1.0 a break is "minor"');
  });

  it('a changeset of an unknown package is rejected', () => {
    expect(() => planned({ cores: 'patch' })).toThrow('names cores, which is not published');
  });
});
