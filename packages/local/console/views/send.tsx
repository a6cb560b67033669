import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SendField, SendForm } from '../../src/internal/console/api.js';
import type { Attempt } from '../../src/internal/contract/entry.js';
import type { SendRequest, SendResult } from '../../src/internal/send/send.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { AsPicker, caller, suggestCaller } from '../parts/as-picker.js';
import { JsonEditor } from '../parts/editor.js';
import { toOptions } from '../parts/form-values.js';
import { Json } from '../parts/json.js';
import { withTargetSamples } from '../parts/samples.js';
import { Action, Empty, Failed } from '../parts/small.js';
import { go, selected } from '../route.js';
import { attempt, inventory } from '../store.js';
import { Explained } from './explained.js';
import { SendResults } from './send-results.js';

const HTTP_DOORS = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'] as const;

const forms = signal<readonly SendForm[]>([]);
const kind = signal('http');
/** The entered values, by form, so that they are kept when the form changes. */
const typed = signal<Readonly<Record<string, Readonly<Record<string, string>>>>>({});
const doors = signal<readonly string[]>(['gateway-v2']);
const callerKind = signal<'service' | 'direct' | 'agent'>('service');
const tool = signal('');
/** The invocation whose event is edited. */
const edited = signal<number | undefined>(undefined);
const preview = signal<{ readonly event: unknown; readonly explain: unknown } | undefined>(undefined);
const result = signal<SendResult | undefined>(undefined);

const form = computed(() => {
  const found = forms.value.find((one) => one.kind === kind.value) ?? forms.value[0];
  return found && withTargetSamples(found, typed.value[found.kind]?.target);
});
const values = computed(() => typed.value[form.value?.kind ?? ''] ?? {});

function type(name: string, text: string): void {
  const of = form.value?.kind ?? '';
  typed.value = { ...typed.value, [of]: { ...typed.value[of], [name]: text } };
}

/** Shows the event of an invocation in the form of any event, to change it and to send it again. */
export function editEvent(id: number, event: unknown): void {
  edited.value = id;
  typed.value = { ...typed.value, event: { ...typed.value.event, event: JSON.stringify(event, null, 2) } };
  go('send', 'event');
}

/** Fills the form of a kind, and shows it. Values that the user entered before are replaced. */
export function fillForm({ kind: of, target, fields }: Attempt): void {
  typed.value = { ...typed.value, [of]: { ...fields, ...(target !== '' && { target }) } };
  choose(of);
  go('send', of);
}

/** Any event, from the forms of the test kit's builders. */
export function SendView() {
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    void attempt('', async () => {
      forms.value = await call('GET /api/forms');
      takeAddress();
    });
  }, [inventory.value]);
  useEffect(takeAddress, [selected.value]);
  const target = values.value.target ?? form.value?.targets[0] ?? '';
  useEffect(() => suggestCaller(inventory.value?.routes.find(({ name }) => name === target)), [target]);
  useKeys([
    { key: 'e', does: 'Choose what to send', run: () => first.current?.focus() },
    { key: 'p', does: 'Show the event without sending it', run: () => void showPreview() },
    { key: 'Ctrl+Enter', does: 'Send it', run: () => void send() },
  ]);
  if (!form.value) return <Empty>The forms are being read.</Empty>;
  return (
    <div class="split send">
      <section class="list padded" aria-label="What to send">
        <label class="field">
          what
          <select ref={first} value={form.value.kind} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {forms.value.map((one) => (
              <option key={one.kind} value={one.kind}>
                {one.label}
              </option>
            ))}
          </select>
        </label>
        <Target form={form.value} />
        {form.value.kind === 'event' && <Edited />}
        {form.value.kind === 'http' && <Doors />}
        <AsPicker />
        <Invocation />
        {form.value.fields.map((field) => (
          <Field key={`${form.value?.kind} ${field.name}`} field={field} />
        ))}
        <div class="bar end">
          <Action label="Preview" shortcut="p" onClick={() => void showPreview()} />
          <Action label="Send" shortcut="Ctrl+Enter" primary onClick={() => void send()} />
        </div>
        <Failed />
      </section>
      <section class="detail" aria-label="Result">
        {result.value && <SendResults result={result.value} />}
        {preview.value && <Preview />}
        {!result.value && !preview.value && <Empty>Sent events and their results are shown here.</Empty>}
      </section>
    </div>
  );
}

/** `#/send/queue orders` selects the form and its target. */
function takeAddress(): void {
  const [, wanted = '', target = ''] = /^([\w-]+)(?: (.*))?$/s.exec(selected.peek()) ?? [];
  if (wanted === '' || !forms.peek().some((one) => one.kind === wanted)) return;
  choose(wanted);
  if (target.startsWith('{')) typeSelected(wanted, target);
  else if (target !== '') type('target', target);
}

/** Enters the sample of a selector of a bus: events that it matches. */
function typeSelected(wanted: string, selector: string): void {
  type('target', 'default');
  const found = forms.peek().find((one) => one.kind === wanted);
  for (const [name, text] of Object.entries(found?.samples?.[selector] ?? {})) type(name, text);
}

function choose(wanted: string): void {
  kind.value = wanted;
  preview.value = undefined;
  result.value = undefined;
}

function Target({ form: { target, targets, kind: of } }: { readonly form: SendForm }) {
  if (target === '') return null;
  const id = `targets-${of}`;
  return (
    <label class="field">
      {target}
      <input
        list={id}
        value={values.value.target ?? targets[0] ?? ''}
        onInput={({ currentTarget }) => type('target', currentTarget.value)}
        spellcheck={false}
      />
      <datalist id={id}>
        {targets.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}

/** The origin of the event. Values that the page does not show are sent unchanged, unless they are edited. */
function Edited() {
  const id = edited.value;
  if (id === undefined) return null;
  return (
    <p class="note">
      The event of <a href={`#/invocations/${id}`}>#{id}</a>: change it and send it again. A hidden value is sent
      unchanged, unless you edit it.
    </p>
  );
}

/** One request through several doors shows their differences. */
function Doors() {
  const toggle = (door: string, isOn: boolean) => {
    doors.value = HTTP_DOORS.filter((one) => (one === door ? isOn : doors.value.includes(one)));
  };
  return (
    <fieldset>
      <legend>Doors</legend>
      {HTTP_DOORS.map((door) => (
        <label key={door} class="choice">
          <input
            type="checkbox"
            checked={doors.value.includes(door)}
            onChange={({ currentTarget }) => toggle(door, currentTarget.checked)}
          />{' '}
          {door}
        </label>
      ))}
    </fieldset>
  );
}

/** The field of the alias is not an option of a builder. */
const ALIAS = '(alias)';

/** The alias that is invoked: for triggers of untrusted events the first registered alias, else none. */
const aliasOf = () => values.value[ALIAS] ?? form.value?.aliases?.[0] ?? '';

/** The invoker of the function: the service of the trigger, or a user with `Invoke` permission; and the invoked alias. */
function Invocation() {
  return (
    <fieldset>
      <legend>Invoked by</legend>
      {(['service', 'direct', 'agent'] as const).map((one) => (
        <label key={one} class="choice">
          <input
            type="radio"
            name="caller"
            checked={callerKind.value === one}
            onChange={() => (callerKind.value = one)}
          />{' '}
          {CALLERS[one]}
        </label>
      ))}
      {callerKind.value === 'agent' && (
        <label class="field">
          tool
          <input value={tool.value} onInput={({ currentTarget }) => (tool.value = currentTarget.value)} />
        </label>
      )}
      <label class="field">
        alias{form.value?.aliases ? '' : ' (optional)'}
        <input
          list="aliases"
          value={aliasOf()}
          onInput={({ currentTarget }) => type(ALIAS, currentTarget.value)}
          spellcheck={false}
        />
        <datalist id="aliases">
          {(form.value?.aliases ?? []).map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
    </fieldset>
  );
}

const CALLERS = { service: 'the service', direct: 'directly', agent: 'an agent' } as const;

function Field({ field }: { readonly field: SendField }) {
  const { name, type: of, wanted, required, sample = '' } = field;
  const text = values.value[name] ?? sample;
  const id = `field-${name}`;
  const label = `${name}${required ? '' : ' (optional)'}`;
  if (of === 'json')
    return (
      <div class="field">
        <span class="label">
          {label} <span class="quiet">{wanted}</span>
        </span>
        <JsonEditor label={name} value={text} onChange={(value) => type(name, value)} />
      </div>
    );
  if (of === 'boolean')
    return (
      <label class="choice">
        <input
          type="checkbox"
          checked={text === 'true'}
          onChange={({ currentTarget }) => type(name, String(currentTarget.checked))}
        />{' '}
        {name} <span class="quiet">{wanted}</span>
      </label>
    );
  return (
    <label class="field" for={id}>
      <span class="label">
        {label} <span class="quiet">{wanted}</span>
      </span>
      {of === 'map' || of === 'list' ? (
        <textarea
          id={id}
          rows={2}
          value={text}
          spellcheck={false}
          onInput={({ currentTarget }) => type(name, currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          inputMode={of === 'number' ? 'numeric' : 'text'}
          value={text}
          spellcheck={false}
          onInput={({ currentTarget }) => type(name, currentTarget.value)}
        />
      )}
    </label>
  );
}

function Preview() {
  return (
    <>
      <h2>Event</h2>
      <Json label="Event" value={preview.value?.event} />
      <h2>Explain</h2>
      <Explained value={preview.value?.explain} />
    </>
  );
}

/** @throws Error for a field with invalid input */
function toRequest(): SendRequest {
  const { kind: of, target, targets, fields } = form.value as SendForm;
  if (of === 'http' && doors.value.length === 0) throw new Error('choose at least one door');
  const options = toOptions(fields, values.value);
  const as = caller.value;
  return {
    kind: of,
    ...(target !== '' && { target: values.value.target ?? targets[0] ?? '' }),
    ...(of === 'http' && { doors: doors.value }),
    options: of === 'event' ? options.event : options,
    ...(of === 'event' && edited.value !== undefined && { from: edited.value }),
    ...(as && { as }),
    ...(aliasOf() !== '' && { alias: aliasOf() }),
    ...(callerKind.value === 'direct' && { caller: { kind: 'direct' } }),
    ...(callerKind.value === 'agent' && { caller: { kind: 'agent', tool: tool.value } }),
  };
}

async function showPreview(): Promise<void> {
  await attempt('The event is shown', async () => {
    preview.value = await call('POST /api/preview', { body: toRequest() });
    result.value = undefined;
  });
}

async function send(): Promise<void> {
  await attempt('Sent', async () => {
    result.value = await call('POST /api/send', { body: toRequest() });
    preview.value = undefined;
  });
}
