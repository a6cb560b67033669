/** Errors in the log of a deployed bundle, which runs without `--enable-source-maps`, have the lines of the sources. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildAPIGatewayV2Request } from '@sallyport/testkit/events';
import { bundle, copyOf, FUNCTIONS, start } from './support/bundles.js';

const EVENTS = [buildAPIGatewayV2Request('GET', '/fails'), buildAPIGatewayV2Request('GET', '/fails-later')];

/** The first frame of each error line. */
function framesOf(folder: string): readonly (string | undefined)[] {
  const { answers, lines } = start(folder, EVENTS);
  expect(answers).toMatchObject([{ statusCode: 500 }, { statusCode: 500 }]);
  const errors = lines.filter(({ level }) => level === 'ERROR');
  return errors.map(({ error }) => (error as { stack?: readonly string[] }).stack?.[0]);
}

describe('the log has the places in the sources', () => {
  const entry = join(FUNCTIONS, 'failing.ts');
  const esm = bundle(entry);
  const forms = {
    'ES modules in several files': esm,
    'one CommonJS file': bundle(join(FUNCTIONS, 'failing-at-once.ts')),
    'a start cache': bundle(join(FUNCTIONS, 'failing-at-once.ts'), { startCache: true }),
    'a start cache, not minified': bundle(join(FUNCTIONS, 'failing-at-once.ts'), { startCache: true, minify: false }),
  };

  it.each(Object.entries(forms))('%s', (_name, { folder }) => {
    expect(framesOf(folder)).toEqual([
      expect.stringMatching(/^at .*\/functions\/fails\.ts:5:9\)?$/),
      expect.stringMatching(/^at .*\/functions\/fails\.ts:10:24\)?$/),
    ]);
  });

  it('the forms are those', () => {
    expect(Object.values(forms).map(({ format, caches }) => [format, caches.length])).toEqual([
      ['esm', 0],
      ['cjs', 0],
      ['cjs', 1],
      ['cjs', 1],
    ]);
  });

  it.each<[string, (map: string) => void]>([
    ['missing', (map) => rmSync(map)],
    ['broken', (map) => writeFileSync(map, '{"version":3,"sources":["../fails.ts"],"mapp')],
    [
      'of another file',
      (map) => writeFileSync(map, '{"version":3,"sources":["../fails.ts"],"names":[],"mappings":";;;;;;;;AAAA"}'),
    ],
    ['larger than 8 MiB', (map) => writeFileSync(map, readFileSync(map, 'utf8').padEnd(8 * 1024 * 1024 + 1))],
  ])('the frames have the places in the bundle if the map is %s', (_name, change) => {
    const folder = copyOf(esm.folder);
    for (const name of readdirSync(folder)) if (name.endsWith('.map')) change(join(folder, name));
    expect(framesOf(folder)).toEqual([
      expect.stringMatching(/^at .*\.mjs:\d+:\d+\)?$/),
      expect.stringMatching(/^at .*\.mjs:\d+:\d+\)?$/),
    ]);
  });
});
