import { AREAS, type JsonObject, loadContract, uncovered } from '../src/index.js';
import { fixture, makeContract, requirement, validate } from './support.js';

const problems = (files: Record<string, unknown>) => makeContract(files).invalid.map(({ problem }) => problem);
const one = (more: object, expect?: JsonObject) =>
  problems({ 'detection/a.json': fixture('detection/a', expect, more) });

describe('loading fixtures', () => {
  it('reads a valid fixture and expands its members', () => {
    const steps = [{ call: 'detect', event: { $repeat: ['x', 2] } }];
    const contract = makeContract({ 'detection/a.json': fixture('detection/a', undefined, { input: { steps } }) });
    expect(contract.invalid).toEqual([]);
    expect(contract.fixtures[0]?.input.steps[0]?.event).toBe('xx');
  });

  it.each<[string, object, string]>([
    ['an id unlike its path', { id: 'detection/b' }, 'id "detection/b" does not match its path'],
    ['an area unlike its id', { area: 'doors' }, 'area "doors" does not match its id'],
    ['a requirement that does not exist', { covers: ['detection.x'] }, 'unknown requirement "detection.x"'],
    [
      'a handler that does not exist',
      { setup: { container: 'open', register: [{ surface: 'queue', name: 'q', handler: 'nobody' }] } },
      'unknown handler "nobody"',
    ],
    [
      'a handler with parameters of another type',
      {
        setup: {
          container: 'open',
          register: [{ surface: 'queue', name: 'q', handler: { use: 'wait', with: { ms: '1' } } }],
        },
      },
      'wait: does not fit the schema',
    ],
    [
      'an unknown handler inside another',
      {
        setup: {
          container: 'open',
          register: [
            { surface: 'queue', name: 'q', handler: { use: 'nth', with: { handlers: ['accept', 'nobody'] } } },
          ],
        },
      },
      'unknown handler "nobody"',
    ],
    ['an unknown middleware', { setup: { container: 'open', middlewares: ['nobody'] } }, 'unknown middleware "nobody"'],
    ['an unknown key', { skip: true }, 'does not fit the schema'],
    ['an unknown key of a step', { input: { steps: [{ call: 'detect', sleep: 1 }] } }, 'does not fit the schema'],
    [
      'a form that cannot be expanded',
      { setup: { container: 'none', environment: { $repeat: 1 } } },
      '$repeat needs [value, times]',
    ],
    ['a name that is no sentence', { name: 'short' }, 'does not fit the schema'],
  ])('rejects %s', (_name, more, problem) => {
    expect(one(more)).toEqual([problem]);
  });

  it.each<[string, JsonObject, string]>([
    ['another number of steps', { steps: [] }, 'expects 0 steps instead of 1'],
    [
      'steps beside a construction error',
      { construction_error: { message: 'm', code: 'c' }, steps: [{ result: 1 }] },
      'expects 1 steps instead of 0',
    ],
    ['a form that is no matcher', { steps: [{ result: { $gt: 1 } }] }, 'unknown matcher $gt; protect data by $literal'],
    ['two outcomes in one', { steps: [{ result: 1, error: { message: 'm', code: '' } }] }, 'does not fit the schema'],
    [
      'a pattern that does not compile',
      { steps: [{ result: { $match: '(' } }] },
      'Invalid regular expression: /(/u: Unterminated group',
    ],
  ])('rejects an expectation with %s', (_name, expected, problem) => {
    expect(one({}, expected)).toEqual([problem]);
  });

  it('rejects an unknown area and a file that is not JSON', () => {
    expect(problems({ 'nowhere/a.json': fixture('nowhere/a') })).toEqual(['unknown area "nowhere"']);
    expect(problems({ 'detection/a.json': '{' })).toEqual(['is not a JSON object']);
  });

  it('reads requirements of all files as one list, and finds the uncovered', () => {
    const files = {
      'requirements.d/detection.json': { 'detection.a': requirement('A.'), 'detection.b': requirement('B.') },
      'requirements.d/doors.json': { 'doors.a': requirement('A.') },
      'detection/a.json': fixture('detection/a', undefined, { covers: ['detection.a', 'doors.a'] }),
    };
    const contract = makeContract(files);
    expect([...contract.requirements.keys()]).toEqual(['detection.a', 'detection.b', 'doors.a']);
    expect(uncovered(contract)).toEqual(['detection.b']);
    const twice = { ...files, 'requirements.d/doors.json': { 'detection.a': requirement('A.') } };
    expect(problems(twice)).toContain('requirement detection.a is listed twice');
  });

  it.each<[string, unknown]>([
    ['that is only a sentence', 'A.'],
    ['without a source', { sentence: 'A.' }],
    ['with a blank source', { sentence: 'A.', source: ' ' }],
    ['without a sentence', { source: 'spec: Limits' }],
  ])('rejects a requirement %s', (_, value) => {
    expect(problems({ 'requirements.d/doors.json': { 'doors.a': value } })).toEqual([
      'requirement doors.a needs a sentence and a source',
    ]);
  });

  it('rejects a skip of a fixture that does not exist', () => {
    const files = {
      'detection/a.json': fixture('detection/a'),
      'skips/go.json': { 'detection/a': 'later', 'detection/gone': 'never' },
    };
    expect(makeContract(files).invalid).toEqual([
      { id: 'skips/go.json', problem: 'skips detection/gone, which does not exist' },
    ]);
    expect([...makeContract(files).skips('go')]).toEqual([
      ['detection/a', 'later'],
      ['detection/gone', 'never'],
    ]);
  });

  it('returns a digest that changes with any file', () => {
    const digest = (name: string) =>
      makeContract({ 'detection/a.json': fixture('detection/a', undefined, { name }) }).digest;
    expect(digest('a first sentence')).toMatch(/^[0-9a-f]{64}$/);
    expect(digest('a first sentence')).toBe(digest('a first sentence'));
    expect(digest('a first sentence')).not.toBe(digest('another sentence'));
  });

  it('lists the areas', () => {
    expect(AREAS).toHaveLength(41);
    expect(() => loadContract('no/such/folder', validate)).toThrow('ENOENT');
  });
});
