import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Of the packages that are installed for tests only Powertools' parser has events. The packages of Middy, serverless-express, the AWS SDK and
// the CDK are published without their tests, and `@types/aws-lambda` with declarations alone.

/** A published event, by the file that it is in. */
export type Published = readonly [string, unknown];

/** The events in the comments of the installed parser of Powertools. */
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
      .flatMap((comment) => examplesOf(comment.slice(0, comment.indexOf('*/'))))
      .map((event) => [name.replace('.js', ''), event] as const),
  );
}

/** The blocks of JSON after the first `@example` of a comment. */
function examplesOf(comment: string): unknown[] {
  const text = comment.replace(/^[ \t]*\* ?/gm, '');
  const blocks = text.slice(text.indexOf('@example')).matchAll(/^```json\n([\s\S]*?)^```/gm);
  return [...blocks].map(([, block = '']) => JSON.parse(repaired(block)));
}

/** Some of the examples are invalid JSON: commas or quotation marks are missing or superfluous, and a word replaces members. */
function repaired(text: string): string {
  return text
    .replace(/^ *[a-z]+\n/gm, '')
    .replace(/: "[^"\n]*$/gm, '$&"')
    .replace(/(?<=["}\]\d]|true|false|null)(?=\n\s*")/g, ',')
    .replace(/,(?=\s*[}\]])/g, '');
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
