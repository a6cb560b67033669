import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fixture, type Json, type JsonObject, loadContract } from '@sallyport/contract';
import { readInventories, readManifests } from '../src/functions/deployment.js';
import { FIXTURES, validate } from '../src/index.js';

const { fixtures } = loadContract(FIXTURES, validate);

/** The documents of two kinds of files that other runtimes write and read, each with its schema and its readers. */
const FORMATS = [
  { area: 'inventory-file', schema: 'inventory.schema.json', writer: 'inventory', read: readInventories },
  {
    area: 'manifest',
    schema: 'manifest.schema.json',
    writer: 'manifest_write',
    read: ({ documents }: JsonObject) => readManifests({ documents, entry: 'src/lambda.ts' }),
  },
];

interface Document {
  readonly id: string;
  readonly document: Json;
}

/** The documents that fixtures expect of a writer, and the documents that they pass to a reader. */
function documentsOf({ id, input, expect: expected }: Fixture, writer: string): readonly Document[] {
  return input.steps.flatMap(({ call, args }, index) => {
    const { documents } = (args ?? {}) as JsonObject;
    if (call !== writer) return (documents as Json[]).map((document) => ({ id, document }));
    return [{ id, document: expected.steps?.[index]?.result as Json }];
  });
}

const isRefusal = ({ document }: Document) => (document as JsonObject | null)?.code !== undefined;
const isText = ({ document }: Document) => (document as JsonObject | null)?.text !== undefined;

describe.each(FORMATS)('the documents of $area', ({ area, schema, writer, read }) => {
  const definition = JSON.parse(readFileSync(join(FIXTURES, schema), 'utf8')) as JsonObject;
  const documents = fixtures
    .filter((fixture) => fixture.area === area)
    .flatMap((fixture) => documentsOf(fixture, writer))
    .filter((one) => !isRefusal(one) && !isText(one));

  it.each([true, false])('for which the schema states %s are read alike', (isValid) => {
    const found = documents.filter(({ document }) => (validate(definition, document).length === 0) === isValid);
    const differing = found.filter(({ document }) => {
      const [outcome] = read({ documents: [document] }) as readonly JsonObject[];
      return (outcome?.code === undefined) !== isValid;
    });
    expect(differing).toEqual([]);
    expect(found.length).toBeGreaterThan(7);
  });
});
