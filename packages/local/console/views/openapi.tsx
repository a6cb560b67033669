import { useEffect, useState } from 'preact/hooks';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Json } from '../parts/json.js';
import { Action, Copy, Empty } from '../parts/small.js';
import { Tabs } from '../parts/tabs.js';
import { go } from '../route.js';
import { attempt, inventory } from '../store.js';

/** The parts of an OpenAPI document that the page shows by themselves. */
interface Document {
  readonly openapi?: string;
  readonly info?: { readonly title?: string; readonly version?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
  readonly security?: unknown;
}

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** The OpenAPI document of the service: its operations, and the whole text. */
export function OpenApiView() {
  const [document, setDocument] = useState<Document | null>();
  const read = () => void attempt('', async () => setDocument((await call('GET /api/openapi')) as Document | null));
  useEffect(read, [inventory.value]);
  useKeys([{ key: 'u', does: 'Read again', run: read }]);
  if (document === undefined) return <Empty>The document is being read.</Empty>;
  if (document === null) return <Empty>The service describes no operation.</Empty>;
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return (
    <div class="page">
      <div class="bar">
        <h2>
          {document.info?.title ?? 'OpenAPI'} <span class="quiet">OpenAPI {document.openapi}</span>
        </h2>
        <Action label="Read again" shortcut="u" onClick={read} />
        <Copy of="the document" text={JSON.stringify(document, null, 2)} />
      </div>
      <Tabs
        label="OpenAPI"
        tabs={[
          {
            name: 'operations',
            title: `Operations ${operations.length}`,
            content: () => operations.map((one) => <OperationCard key={one.method + one.path} {...one} />),
          },
          { name: 'document', title: 'Document', content: () => <Json label="Document" value={document} /> },
        ]}
      />
    </div>
  );
}

function OperationCard(props: { readonly method: string; readonly path: string; readonly operation: Operation }) {
  const { method, path, operation } = props;
  return (
    <details class="card">
      <summary>
        <b>{method}</b> <code>{path}</code> <span class="quiet">{operation.summary}</span>
      </summary>
      {operation.description && <p>{operation.description}</p>}
      <dl class="facts">
        {(operation.parameters ?? []).map(({ name, in: where, required }) => (
          <div key={where + name}>
            <dt>{where}</dt>
            <dd>
              <code>{name}</code> {required && <span class="quiet">required</span>}
            </dd>
          </div>
        ))}
        {Object.entries(operation.responses ?? {}).map(([status, { description }]) => (
          <div key={status}>
            <dt>{status}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      {operation.requestBody !== undefined && (
        <Json label={`Body of ${method} ${path}`} value={operation.requestBody} />
      )}
      <Action label="Send" of={`${method} ${path}`} onClick={() => go('send', `http ${method} ${path}`)} />
    </details>
  );
}
