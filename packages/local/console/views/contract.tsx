import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type {
  CodeSample,
  ContractEntry,
  ContractPart,
  ContractView as Found,
} from '../../src/internal/contract/entry.js';
import { call } from '../api.js';
import { useKeys } from '../keys.js';
import { suggestCaller } from '../parts/as-picker.js';
import { Card } from '../parts/card.js';
import { Json, Text } from '../parts/json.js';
import { Action, Copy, copy, Empty, Mark } from '../parts/small.js';
import { Tabs } from '../parts/tabs.js';
import { neighbour } from '../parts/view.js';
import { attempt, inventory } from '../store.js';
import { tryTool } from './mcp.js';
import { fillForm } from './send.js';

/** `undefined` until the contract is loaded. */
const found = signal<Found | undefined>(undefined);
const filter = signal('');
const chosen = signal('');
const opened = signal<ReadonlySet<string>>(new Set());

const idOf = ({ door, name }: ContractEntry) => `${door} ${name}`;

const entries = computed(() => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = found.value?.entries ?? [];
  return all.filter((entry) => {
    const text = `${idOf(entry)} ${entry.summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
});
const current = computed(() => entries.value.find((entry) => idOf(entry) === chosen.value) ?? entries.value[0]);

function read(): void {
  void attempt('', async () => {
    found.value = await call('GET /api/contract');
  });
}

function step(by: number): void {
  chosen.value = neighbour(entries.value.map(idOf), current.value && idOf(current.value), by) ?? '';
}

function onCurrent(action: (entry: ContractEntry) => void): () => void {
  return () => current.value && action(current.value);
}

function toggle(entry: ContractEntry): void {
  const id = idOf(entry);
  const next = new Set(opened.value);
  if (!next.delete(id)) next.add(id);
  opened.value = next;
  chosen.value = id;
}

/** Opens the form that sends the examples, with a caller that the operation accepts. */
function tryIt({ attempt: filled, door, name }: ContractEntry): void {
  if (!filled) return;
  if (filled.kind === 'tool') tryTool(filled);
  else fillForm(filled);
  if (door === 'http') suggestCaller(inventory.value?.routes.find((route) => route.name === name));
}

const copyOf = (entry: ContractEntry, { name, text }: CodeSample) => ({ text, of: `${name} for ${entry.name}` });
const copyFirst = (entry: ContractEntry) => entry.code[0] && copy(copyOf(entry, entry.code[0]));

/** Every door of the service with its schemas, examples, and code that uses it. */
export function ContractView() {
  useEffect(read, [inventory.value]);
  const search = useRef<HTMLInputElement>(null);
  useKeys([
    { key: '/', does: 'Filter', run: () => search.current?.focus() },
    { key: 'j', does: 'Next entry', run: () => step(1) },
    { key: 'k', does: 'Previous entry', run: () => step(-1) },
    { key: 'l', does: 'Show or hide it', run: onCurrent(toggle) },
    { key: 't', does: 'Try it: fill its form', run: onCurrent(tryIt) },
    { key: 'y', does: 'Copy its first code', run: onCurrent(copyFirst) },
    { key: 'u', does: 'Read again', run: read },
  ]);
  if (!found.value) return <Empty>The contract is being read.</Empty>;
  const { service, entries: all, unknown, problem } = found.value;
  return (
    <div class="page">
      <div class="bar">
        <h2>
          {service} <span class="quiet">{all.length} entries</span>
        </h2>
        {current.value?.attempt && (
          <Action label="Try it" of={` ${current.value.name}`} shortcut="t" primary onClick={onCurrent(tryIt)} />
        )}
        <Action label="Read again" shortcut="u" onClick={read} />
      </div>
      {problem !== '' && <p class="note">There is no contract: {problem}.</p>}
      {all.length > 0 && (
        <label class="field">
          Filter
          <input
            ref={search}
            type="search"
            aria-keyshortcuts="/"
            value={filter.value}
            onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
          />
        </label>
      )}
      {unknown.map(({ at, reason }) => (
        <p key={at} class="note">
          <Mark tone="warn">unknown</Mark> <code>{at}</code>: {reason}
        </p>
      ))}
      {entries.value.map((entry) => (
        <EntryCard key={idOf(entry)} entry={entry} isCurrent={entry === current.value} />
      ))}
      {all.length > 0 && entries.value.length === 0 && <Empty>No entry has these words.</Empty>}
    </div>
  );
}

function EntryCard({ entry, isCurrent }: { readonly entry: ContractEntry; readonly isCurrent: boolean }) {
  const { door, name, summary, posture, scopes, parts, code, function: file } = entry;
  const title = (
    <>
      <b>{door}</b> <code>{name}</code> <span class="quiet">{summary}</span>
    </>
  );
  const isOpen = opened.value.has(idOf(entry));
  return (
    <Card title={title} isCurrent={isCurrent} isOpen={isOpen} toggle={() => toggle(entry)}>
      <dl class="facts">
        {posture !== null && <Fact name="posture">{[posture, ...scopes].join(' ')}</Fact>}
        <Fact name="function">{file}</Fact>
        {parts.map(
          ({ name: part, codes }) =>
            codes.length > 0 && (
              <Fact key={part} name={part}>
                {codes.join(', ')}
              </Fact>
            ),
        )}
      </dl>
      <Schemas of={name} parts={parts.filter(({ schema }) => schema !== null)} />
      {code.length > 0 && (
        <Tabs
          label={`Code for ${name}`}
          tabs={code.map((sample) => ({
            name: sample.name.replace(' ', '-'),
            title: sample.name,
            content: () => (
              <>
                <Text label={`${sample.name} for ${name}`} text={sample.text} />
                <Copy {...copyOf(entry, sample)} shortcut="y" />
              </>
            ),
          }))}
        />
      )}
      {entry.attempt && <Action label="Try it" of={` ${name}`} shortcut="t" onClick={() => tryIt(entry)} />}
    </Card>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Schemas({ of, parts }: { readonly of: string; readonly parts: readonly ContractPart[] }) {
  if (parts.length === 0) return <p class="hint">No schema is stated.</p>;
  const tabs = parts.map(({ name, direction, schema, example }) => ({
    name: name.replaceAll(/\W+/g, '-'),
    title: direction === 'out' && /^\d/.test(name) ? `answer ${name}` : name,
    content: () => (
      <div class="pair">
        <Json label={`Schema of ${name} of ${of}`} value={schema} />
        <Json label={`Example of ${name} of ${of}`} value={example} />
      </div>
    ),
  }));
  return <Tabs label={`Schemas of ${of}`} tabs={tabs} />;
}
