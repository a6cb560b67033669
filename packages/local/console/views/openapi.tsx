import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { Card } from '../parts/card.js';
import { Json } from '../parts/json.js';
import { Action, Copy, copy, Empty } from '../parts/small.js';
import { Tabs } from '../parts/tabs.js';
import { neighbour } from '../parts/view.js';
import { go } from '../route.js';
import { attempt, inventory } from '../store.js';

/** The parts of an OpenAPI document that have their own display. */
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

interface Named {
  /** `GET /notes`. */
  readonly name: string;
  readonly operation: Operation;
}

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** `null` if the service describes no operation, `undefined` until the document is loaded. */
const document = signal<Document | null | undefined>(undefined);
const chosen = signal('');
/** Expanded operations. */
const opened = signal<readonly string[]>([]);

const operations = computed<readonly Named[]>(() =>
  Object.entries(document.value?.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  ),
);
const names = computed(() => operations.value.map(({ name }) => name));
const current = computed(() => names.value.find((name) => name === chosen.value) ?? names.value[0]);

function read(): void {
  void attempt('', async () => {
    document.value = (await call('GET /api/openapi')) as Document | null;
  });
}

function step(by: number): void {
  chosen.value = neighbour(names.value, current.value, by) ?? '';
}

function onCurrent(action: (name: string) => void): () => void {
  return () => current.value !== undefined && action(current.value);
}

const send = (name: string) => go('send', `http ${name}`);

/** The OpenAPI document of the service: its operations, and the whole document. */
export function OpenApiView() {
  useEffect(read, [inventory.value]);
  const whole = { of: 'the document', text: JSON.stringify(document.value ?? {}, null, 2) };
  useKeys([
    { key: 'j', does: 'Next operation', run: () => step(1) },
    { key: 'k', does: 'Previous operation', run: () => step(-1) },
    { key: 'l', does: 'Show or hide it', run: onCurrent(toggle) },
    { key: 's', does: 'Send a request to it', run: onCurrent(send) },
    { key: 'y', does: 'Copy the document', run: () => copy(whole) },
    { key: 'u', does: 'Read again', run: read },
  ]);
  if (document.value === undefined) return <Empty>The document is being read.</Empty>;
  if (document.value === null) return <Empty>The service describes no operation.</Empty>;
  return (
    <div class="page">
      <div class="bar">
        <h2>
          {document.value.info?.title ?? 'OpenAPI'} <span class="quiet">OpenAPI {document.value.openapi}</span>
        </h2>
        {current.value !== undefined && (
          <Action label="Send" of={` ${current.value}`} shortcut="s" primary onClick={onCurrent(send)} />
        )}
        <Action label="Read again" shortcut="u" onClick={read} />
        <Copy {...whole} shortcut="y" />
      </div>
      <Tabs
        label="OpenAPI"
        tabs={[
          {
            name: 'operations',
            title: `Operations ${operations.value.length}`,
            content: () =>
              operations.value.map((one) => (
                <OperationCard key={one.name} {...one} isCurrent={one.name === current.value} />
              )),
          },
          { name: 'document', title: 'Document', content: () => <Json label="Document" value={document.value} /> },
        ]}
      />
    </div>
  );
}

function toggle(name: string): void {
  opened.value = opened.value.includes(name) ? opened.value.filter((one) => one !== name) : [...opened.value, name];
  chosen.value = name;
}

function OperationCard({ name, operation, isCurrent }: Named & { readonly isCurrent: boolean }) {
  const [method, path] = name.split(' ');
  const title = (
    <>
      <b>{method}</b> <code>{path}</code> <span class="quiet">{operation.summary}</span>
    </>
  );
  const isOpen = opened.value.includes(name);
  return (
    <Card title={title} isCurrent={isCurrent} isOpen={isOpen} toggle={() => toggle(name)}>
      {operation.description && <p>{operation.description}</p>}
      <dl class="facts">
        {(operation.parameters ?? []).map(({ name: parameter, in: where, required }) => (
          <div key={where + parameter}>
            <dt>{where}</dt>
            <dd>
              <code>{parameter}</code> {required && <span class="quiet">required</span>}
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
      {operation.requestBody !== undefined && <Json label={`Body of ${name}`} value={operation.requestBody} />}
      <Action label="Send" of={name} shortcut="s" onClick={() => send(name)} />
    </Card>
  );
}
