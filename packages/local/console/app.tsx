import { useEffect, useRef } from 'preact/hooks';
import { bindings, usePageKeys } from './keys.js';
import { Place } from './parts/place.js';
import { Failed, Mark } from './parts/small.js';
import { clockTime, duration } from './parts/view.js';
import { go, keyOf, VIEWS, type View, view } from './route.js';
import { count as kept } from './rows.js';
import { connection, failed, run, sources, status } from './store.js';
import { ContractView } from './views/contract.js';
import { ExecutionsView } from './views/executions.js';
import { InvocationsView } from './views/invocations.js';
import { McpView } from './views/mcp.js';
import { OpenApiView } from './views/openapi.js';
import { QueuesView } from './views/queues.js';
import { RecordingsView } from './views/recordings.js';
import { SendView } from './views/send.js';
import { TablesView } from './views/tables.js';
import { TracesView } from './views/trace.js';
import { TriggersView } from './views/triggers.js';

const PAGES: Readonly<Record<View, () => preact.JSX.Element>> = {
  invocations: InvocationsView,
  triggers: TriggersView,
  queues: QueuesView,
  executions: ExecutionsView,
  tables: TablesView,
  send: SendView,
  mcp: McpView,
  api: OpenApiView,
  recordings: RecordingsView,
  traces: TracesView,
  contract: ContractView,
};

/** These views show a failed action next to their buttons, the others above their content. */
const SHOWS_FAILURE: readonly View[] = ['send', 'mcp'];

/** The whole page. */
export function App() {
  const help = useRef<HTMLDialogElement>(null);
  const main = useRef<HTMLElement>(null);
  usePageKeys([
    ...VIEWS.map((name, index) => ({ key: keyOf(index), does: `Show ${name}`, run: () => go(name) })),
    { key: 's', does: 'Send', run: () => go('send') },
    { key: '?', does: 'Show the keys', run: () => help.current?.showModal() },
  ]);
  useEffect(() => {
    failed.value = '';
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view.value]);
  if (connection.value === 'refused') return <Refused />;
  const Page = PAGES[view.value];
  return (
    <>
      <button type="button" class="action skip" onClick={() => main.current?.focus()}>
        Skip to the view
      </button>
      <header>
        <h1>
          <span class="brand">sallyport</span> {run.value?.name}
        </h1>
        <Build />
        <nav aria-label="Views">
          {VIEWS.map((name, index) => (
            <a
              key={name}
              href={`#/${name}`}
              aria-current={view.value === name ? 'page' : undefined}
              aria-keyshortcuts={keyOf(index)}
            >
              {name}
              <Count of={name} />
            </a>
          ))}
        </nav>
        <button type="button" class="action" aria-keyshortcuts="?" onClick={() => help.current?.showModal()}>
          keys
          <span class="key" aria-hidden="true">
            ?
          </span>
        </button>
      </header>
      <Problem />
      <main ref={main} tabIndex={-1} aria-label={view.value}>
        {!SHOWS_FAILURE.includes(view.value) && <Failed />}
        <Page />
      </main>
      <footer>
        <p role="status">{status.value}</p>
        {run.value?.reveal && <p>Values are not sanitized (--reveal).</p>}
        <p>{run.value?.speed !== 1 && run.value ? `Waits are ${run.value.speed} times shorter.` : ''}</p>
      </footer>
      <dialog ref={help} aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <KeyList />
        <form method="dialog">
          <button class="action primary" type="submit">
            Close
          </button>
        </form>
      </dialog>
    </>
  );
}

/** The state of the code. */
function Build() {
  const code = run.value?.code;
  if (connection.value !== 'open')
    return <Mark tone="busy">{connection.value === 'lost' ? 'not connected' : 'connecting'}</Mark>;
  if (!code || code.state === 'starting') return <Mark tone="busy">building</Mark>;
  if (code.state === 'broken') return <Mark tone="bad">build failed</Mark>;
  if (code.problem !== undefined) return <Mark tone="bad">does not load</Mark>;
  return (
    <Mark tone="good">
      built {clockTime(code.builtAt)} in {duration(code.buildMs)}
    </Mark>
  );
}

/** The errors of a broken build. They are above every view, because no invocation runs until they are corrected. */
function Problem() {
  const code = run.value?.code;
  if (code?.state === 'ready' && code.problem !== undefined)
    return (
      <section class="problem" aria-label="Service">
        <p>the service does not load: {code.problem}</p>
      </section>
    );
  if (code?.state !== 'broken') return null;
  return (
    <section class="problem" aria-label="Build">
      {code.problems.map(({ text, file, line, column }) => (
        <p key={`${file}:${line}:${text}`}>
          {file && <Place file={file} line={line ?? 1} column={column ?? 1} />} {text}
        </p>
      ))}
    </section>
  );
}

function Count({ of }: { readonly of: View }) {
  const count =
    of === 'invocations'
      ? kept.value
      : of === 'queues'
        ? sources.value.reduce((sum, { records, deadLetters }) => sum + records.length + deadLetters.length, 0)
        : 0;
  return count > 0 ? <span class="count">{count}</span> : null;
}

function KeyList() {
  return (
    <dl class="keys">
      {bindings.value.map(({ key, does }) => (
        <div key={key + does}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}

function Refused() {
  return (
    <main class="refused">
      <h1>This page has no token</h1>
      <p>
        Open the console with the address that <code>sallyport dev</code> printed. Each run has a new token.
      </p>
    </main>
  );
}
