import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Attempt } from '../../src/internal/contract/entry.js';
import { sampleOf } from '../../src/internal/send/sample.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { AsPicker, caller, suggestCaller } from '../parts/as-picker.js';
import { JsonEditor } from '../parts/editor.js';
import { Json } from '../parts/json.js';
import type { Answer, Era, McpConnection, Offer, Question } from '../parts/mcp-client.js';
import { Action, Empty, Failed, Mark } from '../parts/small.js';
import { neighbour } from '../parts/view.js';
import { go } from '../route.js';
import { attempt, inventory } from '../store.js';

type Chosen = { readonly kind: 'tool' | 'prompt' | 'resource'; readonly name: string };

const path = signal('');
const era = signal<Era>('auto');
const connected = signal<{ readonly client: McpConnection; readonly offer: Offer } | undefined>(undefined);
const chosen = signal<Chosen | undefined>(undefined);
const args = signal('{}');
/** The tool that is chosen after the next connection, with its arguments. */
const wanted = signal<{ readonly tool: string; readonly args: string } | undefined>(undefined);

/** Shows a tool of a server: its arguments are filled when the page has connected. */
export function tryTool({ target: tool, fields }: Attempt): void {
  path.value = fields.path ?? '';
  wanted.value = { tool, args: fields.arguments ?? '{}' };
  go('mcp');
}
const answer = signal<unknown>(undefined);
const question = signal<{ readonly asked: Question; readonly reply: (answer: Answer) => void } | undefined>(undefined);

/** The MCP servers of the service, through the protocol's own client. */
export function McpView() {
  const paths = inventory.value?.mcp ?? [];
  useKeys([
    { key: 'c', does: 'Connect', run: () => void connect(paths) },
    { key: 'j', does: 'Next tool, resource or prompt', run: () => step(1) },
    { key: 'k', does: 'Previous tool, resource or prompt', run: () => step(-1) },
    { key: 't', does: 'Call the tool, prompt or resource', run: () => void run() },
  ]);
  const server = path.value || paths[0];
  useEffect(() => suggestCaller(inventory.value?.routes.find(({ name }) => name === `POST ${server}`)), [server]);
  if (paths.length === 0) return <Empty>The service has no MCP server.</Empty>;
  return (
    <div class="split send">
      <section class="list padded" aria-label="Server">
        <label class="field">
          server
          <select value={server} onChange={({ currentTarget }) => (path.value = currentTarget.value)}>
            {paths.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="field">
          protocol
          <select value={era.value} onChange={({ currentTarget }) => (era.value = currentTarget.value as Era)}>
            <option value="auto">offered by the server</option>
            <option value="sessions">with sessions (2025-11-25)</option>
            <option value="stateless">stateless (2026-07-28)</option>
          </select>
        </label>
        <AsPicker />
        <div class="bar end">
          <Action label="Connect" shortcut="c" primary onClick={() => void connect(paths)} />
        </div>
        <Failed />
        {connected.value && <OfferList offer={connected.value.offer} />}
      </section>
      <section class="detail" aria-label="Call">
        {chosen.value ? (
          <Call chosen={chosen.value} />
        ) : (
          <Empty>Connect, and choose a tool, a prompt or a resource.</Empty>
        )}
        {question.value && <Asked />}
        {answer.value !== undefined && (
          <>
            <h2>Answer</h2>
            <Json label="Answer" value={answer.value} />
          </>
        )}
      </section>
    </div>
  );
}

async function connect(paths: readonly string[]): Promise<void> {
  await attempt('Connected', async () => {
    await connected.value?.client.close().catch(() => {});
    connected.value = undefined;
    chosen.value = undefined;
    answer.value = undefined;
    const { forbidEval } = await import('../parts/no-eval.js');
    forbidEval();
    const { connectMcp } = await import('../parts/mcp-client.js');
    const token = caller.value ? (await call('POST /api/token', { body: caller.value })).token : '';
    const ask = (asked: Question) => new Promise<Answer>((reply) => (question.value = { asked, reply }));
    const client = await connectMcp({ path: path.value || (paths[0] ?? ''), era: era.value, token, ask });
    connected.value = { client, offer: await client.offer() };
    takeWanted();
  });
}

function takeWanted(): void {
  if (!wanted.value) return;
  choose({ kind: 'tool', name: wanted.value.tool });
  args.value = wanted.value.args;
  wanted.value = undefined;
}

function OfferList({ offer }: { readonly offer: Offer }) {
  return (
    <>
      <p class="quiet">Protocol {offer.protocol}</p>
      <Group
        kind="tool"
        title="Tools"
        entries={offer.tools.map(({ name, description }) => ({ name, text: description }))}
      />
      <Group
        kind="resource"
        title="Resources"
        entries={offer.resources.map(({ uri, name }) => ({ name: uri, text: name }))}
      />
      <Group
        kind="prompt"
        title="Prompts"
        entries={offer.prompts.map(({ name, description }) => ({ name, text: description }))}
      />
    </>
  );
}

/** Chooses the next tool, resource or prompt, in the order of the page. */
function step(by: number): void {
  const { tools = [], resources = [], prompts = [] } = connected.value?.offer ?? {};
  const all: readonly Chosen[] = [
    ...tools.map(({ name }) => ({ kind: 'tool' as const, name })),
    ...resources.map(({ uri }) => ({ kind: 'resource' as const, name: uri })),
    ...prompts.map(({ name }) => ({ kind: 'prompt' as const, name })),
  ];
  const now = all.find(({ kind, name }) => kind === chosen.value?.kind && name === chosen.value.name);
  const next = neighbour(all, now, by);
  if (next && next !== now) choose(next);
}

function Group(props: {
  readonly kind: Chosen['kind'];
  readonly title: string;
  readonly entries: readonly { readonly name: string; readonly text: string | undefined }[];
}) {
  const { kind, title, entries } = props;
  if (entries.length === 0) return null;
  return (
    <>
      <h3>
        {title} <span class="quiet">{entries.length}</span>
      </h3>
      <ul class="offers">
        {entries.map(({ name, text }) => (
          <li key={name}>
            <button
              type="button"
              class="offer"
              aria-pressed={chosen.value?.kind === kind && chosen.value.name === name}
              onClick={() => choose({ kind, name })}
            >
              <b>{name}</b> <span class="quiet">{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function choose(next: Chosen): void {
  chosen.value = next;
  answer.value = undefined;
  args.value = exampleOf(next);
}

/** Arguments that the schema of a tool accepts, to change. */
function exampleOf({ kind, name }: Chosen): string {
  const schema = connected.value?.offer.tools.find((one) => one.name === name)?.inputSchema;
  return kind === 'tool' && Object.hasOwn(Object(schema), 'properties')
    ? JSON.stringify(sampleOf(schema), null, 2)
    : '{}';
}

function Call({ chosen: { kind, name } }: { readonly chosen: Chosen }) {
  const schema = connected.value?.offer.tools.find((one) => one.name === name)?.inputSchema;
  return (
    <>
      <div class="bar">
        <h2>
          {name} <span class="quiet">{kind}</span>
        </h2>
        <Action label={kind === 'tool' ? 'Call' : 'Get'} shortcut="t" primary onClick={() => void run()} />
      </div>
      {kind !== 'resource' && (
        <JsonEditor label="arguments" value={args.value} onChange={(text) => (args.value = text)} />
      )}
      {kind === 'tool' && (
        <details>
          <summary>Argument schema</summary>
          <Json label="Schema" value={schema} />
        </details>
      )}
    </>
  );
}

async function run(): Promise<void> {
  const { client } = connected.value ?? {};
  const { kind, name } = chosen.value ?? {};
  if (!client || name === undefined) return;
  await attempt(`${name} answered`, async () => {
    answer.value = undefined;
    const given = JSON.parse(args.value) as Record<string, unknown>;
    if (kind === 'tool') answer.value = await client.callTool(name, given);
    else if (kind === 'prompt') answer.value = await client.getPrompt(name, given as Record<string, string>);
    else answer.value = await client.readResource(name);
  });
  question.value = undefined;
}

/** The question of a server during a call. */
function Asked() {
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), [question.value]);
  const { asked, reply } = question.value as NonNullable<typeof question.value>;
  const answerWith = (given: Answer) => {
    question.value = undefined;
    reply(given);
  };
  const accept = () =>
    void attempt('Answered', async () =>
      answerWith({ action: 'accept', content: JSON.parse(first.current?.value ?? '{}') as Record<string, string> }),
    );
  const cancel = () => answerWith({ action: 'cancel' });
  const decline = () => answerWith({ action: 'decline' });
  useKeys([
    { key: 'Ctrl+Enter', does: 'Answer the server', run: accept },
    { key: 'd', does: 'Decline to answer', run: decline },
    { key: 'x', does: 'Cancel the question', run: cancel },
  ]);
  return (
    <section class="card question" aria-label="Question of the server">
      <p>
        <Mark tone="busy">asks</Mark> {asked.message} {asked.url && <code>{asked.url}</code>}
      </p>
      <label class="field">
        answer as JSON
        <textarea ref={first} rows={3} spellcheck={false}>
          {'{}'}
        </textarea>
      </label>
      {asked.requestedSchema !== undefined && <Json label="Schema of the answer" value={asked.requestedSchema} />}
      <div class="bar end">
        <Action label="Cancel" shortcut="x" onClick={cancel} />
        <Action label="Decline" shortcut="d" onClick={decline} />
        <Action label="Answer" shortcut="Ctrl+Enter" primary onClick={accept} />
      </div>
    </section>
  );
}
