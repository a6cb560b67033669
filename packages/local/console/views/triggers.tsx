import { useState } from 'preact/hooks';
import type { RouteView, TriggerView } from '../../src/internal/inspect/inspection.js';
import { Action, Copy, Empty, Mark } from '../parts/small.js';
import { type UseLine, useLinesOfRoute, useLinesOfTrigger } from '../parts/use-lines.js';
import { go } from '../route.js';
import { inventory, run, sources } from '../store.js';

/** Everything that the service registered, and how to use it. */
export function TriggersView() {
  const found = inventory.value;
  if (!found) return <Empty>The service is being built.</Empty>;
  const orphans = sources.value.filter(({ hasHandler }) => !hasHandler);
  return (
    <div class="page">
      {!found.isOurs && (
        <p class="note">The handler says nothing of its routes. It runs all the same: send it any event.</p>
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
            <Mark tone="warn">no handler</Mark> {kind} {name} is configured, and the service handles nothing of it.
          </p>
        ))}
      </section>
    </div>
  );
}

/** The doors, by their names on AWS. */
const DOOR_NAMES: Readonly<Record<string, string>> = {
  'gateway-v2': 'HTTP API',
  'gateway-v1': 'REST API',
  'load-balancer': 'Load balancer',
  'function-url': 'Function URL',
  websocket: 'WebSocket API',
  graphql: 'GraphQL API',
  aws: 'AWS calls',
};

function Doors() {
  const doors = Object.entries(run.value?.addresses ?? {}).filter(([kind]) => kind in DOOR_NAMES);
  return (
    <section class="card" aria-label="Doors">
      <h2>Doors</h2>
      <dl class="facts doors">
        {doors.map(([kind, address]) => (
          <div key={kind}>
            <dt>{DOOR_NAMES[kind]}</dt>
            <dd>
              <code>{address}</code> <Copy text={address} of={`the address of ${DOOR_NAMES[kind]}`} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Routes({ routes }: { readonly routes: readonly RouteView[] }) {
  return (
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">operation</th>
          <th scope="col">who may call</th>
          <th scope="col">use</th>
        </tr>
      </thead>
      <tbody>
        {routes.map((route) => (
          <tr key={route.surface + route.name}>
            <td>
              <code>{route.name}</code> <span class="quiet">{route.surface}</span>
              {route.streaming && <span class="quiet"> streams</span>}
            </td>
            <td>
              {route.posture ?? 'everybody'}
              {route.scopes.length > 0 && <div class="quiet">{route.scopes.join(' ')}</div>}
            </td>
            <td>
              <Use name={route.name} lines={useLinesOfRoute(route, run.value?.addresses ?? {})} />
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
          const name = trigger.name || JSON.stringify(trigger.selector ?? {});
          const hasSource = sources.value.some((one) => one.kind === trigger.kind && one.name === trigger.name);
          return (
            <tr key={trigger.kind + name}>
              <td>
                <code>{name}</code> <span class="quiet">{trigger.kind}</span>
                {trigger.name !== '' && KINDS_OF_SOURCES.includes(trigger.kind) && !hasSource && (
                  <div>
                    <Mark tone="warn">no source</Mark>
                  </div>
                )}
              </td>
              <td class="quiet">
                {Object.entries(trigger.options)
                  .map(([key, value]) => `${key} ${String(value)}`)
                  .join(', ')}
              </td>
              <td>
                <Use name={name} lines={useLinesOfTrigger(trigger, run.value?.addresses ?? {})} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const KINDS_OF_SOURCES: readonly string[] = ['queue', 'stream', 'table-stream', 'topic'];

/** Lines to copy, shown when asked for, and the way to the form. */
function Use({ name, lines }: { readonly name: string; readonly lines: readonly UseLine[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="use">
      <div class="bar">
        <Action label="Send" of={name} onClick={() => go('send', `${lines[0]?.kind ?? 'event'} ${name}`)} />
        <button type="button" class="action" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Less' : 'curl, SDK'} <span class="hidden">for {name}</span>
        </button>
      </div>
      {isOpen &&
        lines.map(({ label, text }) => (
          <div key={label} class="bar line">
            <span class="quiet">{label}</span>
            <code class="grow">{text}</code>
            <Copy text={text} of={label} />
          </div>
        ))}
    </div>
  );
}
