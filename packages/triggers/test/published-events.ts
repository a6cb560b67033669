import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A published event, by the file that it is in. */
export type Published = readonly [string, unknown];

/** The events in the comments of the installed parser of Powertools: one example for each schema that has one. */
export function powertoolsExamples(): readonly Published[] {
  const schemas = dirname(createRequire(import.meta.url).resolve('@aws-lambda-powertools/parser/schemas/alb')).replace(
    'cjs',
    'esm',
  );
  const files = readdirSync(schemas).filter((name) => name.endsWith('.js') && name !== 'index.js');
  return files.flatMap((name) =>
    readFileSync(join(schemas, name), 'utf8')
      .split('/**')
      .slice(1)
      .flatMap((comment) => exampleOf(comment.slice(0, comment.indexOf('*/'))))
      .map((event) => [name.replace('.js', ''), event] as const),
  );
}

/** The JSON behind `@example`, commas too many taken away; nothing for text that is not JSON even so. */
function exampleOf(comment: string): unknown[] {
  const text = comment.replace(/^[ \t]*\* ?/gm, '');
  const start = text.indexOf('{', text.indexOf('@example'));
  const end = text.indexOf('\n}', start);
  if (!text.includes('@example') || start < 0) return [];
  try {
    return [JSON.parse(text.slice(start, end + 2).replace(/,(?=\s*[}\]])/g, ''))];
  } catch {
    return [];
  }
}

/** The events of AWS's documentation that the tests of `streams` use. */
export function documentedEvents(): readonly Published[] {
  const folder = new URL('../../streams/test/events/', import.meta.url);
  return readdirSync(folder).map((name) => [
    name.replace('.json', ''),
    JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
  ]);
}

/** Every event of a step of a contract fixture. */
export function fixtureEvents(): readonly Published[] {
  const folder = new URL('../../../contract-fixtures/', import.meta.url);
  const files = readdirSync(folder, { recursive: true }).map(String);
  return files
    .filter((name) => /^[a-z-]+[\\/][a-z0-9-]+\.json$/.test(name))
    .flatMap((name) => {
      const { id, input } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as {
        id?: string;
        input?: { steps: readonly { event?: unknown }[] };
      };
      return (input?.steps ?? []).flatMap(({ event }) => (event === undefined ? [] : [[String(id), event] as const]));
    });
}
