import type { ComponentChildren } from 'preact';
import type { RouteView, TriggerView } from '../../src/internal/inspect/inspection.js';
import { useKeys } from '../keys.js';
import { useScrolledTo } from '../parts/scroll.js';
import { Action, Copy, copy, Empty, Mark } from '../parts/small.js';
import { go } from '../route.js';
import { inventory, sources } from '../store.js';
import {
  current,
  doors,
  isOpen,
  linesOf,
  type Operation,
  operationOfRoute,
  operationOfTrigger,
  type Place,
  primary,
  step,
  toggle,
} from './trigger-places.js';

/** All registrations of the service, and how to use them. */
export function TriggersView() {
  useKeys([
    { key: 'j', does: 'Next door, operation or line', run: () => step(1) },
    { key: 'k', does: 'Previous door, operation or line', run: () => step(-1) },
    { key: 'l', does: 'Show the lines for curl and SDKs', run: onOperation(toggle) },
    { key: 'y', does: 'Copy the address or the line', run: () => current.value && copy(current.value) },
    { key: 's', does: 'Send to the operation', run: onOperation(({ sendTo = '' }) => go('send', sendTo)) },
  ]);
  const found = inventory.value;
  if (!found) return <Empty>The service is being built.</Empty>;
  const orphans = sources.value.filter(({ hasHandler }) => !hasHandler);
  return (
    <div class="page">
      {!found.isOurs && (
        <p class="note">This is not a Sallyport handler, so its routes are unknown. You can still send it any event.</p>
      )}
      <Doors />
      <section class="card" aria-label="Routes">
        <h2>
          Routes <span class="quiet">{found.routes.length}</span>
        </h2>
        {found.routes.length === 0 ? <Empty>None.</Empty> : <Routes routes={found.routes} />}
      </section>
      <section class="card" aria-label="Event handlers">
        <h2>
          Event handlers <span class="quiet">{found.triggers.length}</span>
        </h2>
        {found.triggers.length === 0 ? <Empty>None.</Empty> : <Handlers triggers={found.triggers} />}
        {orphans.map(({ kind, name }) => (
          <p key={kind + name} class="note">
            <Mark tone="warn">no handler</Mark> {kind} {name} is configured, but the service has no handler for it.
          </p>
        ))}
      </section>
    </div>
  );
}

/** A key for operations has no effect on a door or a line. */
function onOperation(action: (place: Place) => void): () => void {
  return () => {
    if (current.value?.sendTo !== undefined) action(current.value);
  };
}

function Doors() {
  return (
    <section class="card" aria-label="Doors">
      <h2>Doors</h2>
      <dl class="facts doors">
        {doors.value.map((door) => (
          <div key={door.id}>
            <dt>{door.name}</dt>
            <dd>
              <Chosen place={door}>
                <code>{door.text}</code> <Copy {...door} shortcut="y" />
              </Chosen>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Marks the place that keys act on, and keeps it in view. */
function Chosen({ place, children }: { readonly place: Place; readonly children: ComponentChildren }) {
  const isCurrent = current.value?.id === place.id;
  const element = useScrolledTo<HTMLDivElement>(isCurrent);
  return (
    <div ref={element} class={isCurrent ? 'choice-mark current' : 'choice-mark'} aria-current={isCurrent || undefined}>
      {children}
    </div>
  );
}

function Routes({ routes }: { readonly routes: readonly RouteView[] }) {
  return (
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">operation</th>
          <th scope="col">required permissions</th>
          <th scope="col">use</th>
        </tr>
      </thead>
      <tbody>
        {routes.map((route) => (
          <tr key={route.surface + route.name}>
            <td>
              <Chosen place={operationOfRoute(route)}>
                <code>{route.name}</code> <span class="quiet">{route.surface}</span>
                {route.streaming && <span class="quiet"> streams</span>}
              </Chosen>
            </td>
            <td>
              {route.posture ?? (route.function === undefined ? 'everybody' : 'unknown')}
              {route.scopes.length > 0 && <div class="quiet">{route.scopes.join(' ')}</div>}
            </td>
            <td>
              <Use operation={operationOfRoute(route)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Handlers({ triggers }: { readonly triggers: readonly TriggerView[] }) {
  return (
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">source</th>
          <th scope="col">options</th>
          <th scope="col">use</th>
        </tr>
      </thead>
      <tbody>
        {triggers.map((trigger) => {
          const operation = operationOfTrigger(trigger);
          const hasSource = sources.value.some((one) => one.kind === trigger.kind && one.name === trigger.name);
          return (
            <tr key={operation.id}>
              <td>
                <Chosen place={operation}>
                  <code>{operation.name}</code> <span class="quiet">{trigger.kind}</span>
                  {trigger.name !== '' && KINDS_OF_SOURCES.includes(trigger.kind) && !hasSource && (
                    <div>
                      <Mark tone="warn">no source</Mark>
                    </div>
                  )}
                </Chosen>
              </td>
              <td class="quiet">
                {Object.entries(trigger.options)
                  .map(([key, value]) => `${key} ${String(value)}`)
                  .join(', ')}
              </td>
              <td>
                <Use operation={operation} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const KINDS_OF_SOURCES: readonly string[] = ['queue', 'stream', 'table-stream', 'topic'];

/** Lines to copy, shown on request, and the link to the form. */
function Use({ operation }: { readonly operation: Operation }) {
  const shown = isOpen(operation);
  return (
    <div class="use">
      <div class="bar">
        <Action
          label="Send"
          of={operation.name}
          shortcut="s"
          primary={operation.id === primary.value?.id}
          onClick={() => go('send', operation.sendTo)}
        />
        <Action
          label={shown ? 'Less' : 'curl, SDK'}
          of={`for ${operation.name}`}
          shortcut="l"
          expanded={shown}
          onClick={() => toggle(operation)}
        />
      </div>
      {shown &&
        linesOf(operation).map((line) => (
          <Chosen key={line.label} place={line}>
            <div class="bar line">
              <span class="quiet">{line.label}</span>
              <code class="grow">{line.text}</code>
              <Copy {...line} shortcut="y" />
            </div>
          </Chosen>
        ))}
    </div>
  );
}
