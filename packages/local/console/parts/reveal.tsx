import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { HiddenPlace } from '../../src/internal/journal/hidden.js';
import { usePageKeys } from '../keys.js';
import { attempt } from '../store.js';
import { Action } from './small.js';

/** The hidden places of a shown value, and the call that reads one of them. */
export interface Reveals {
  /** The owner of the places: `#12`, `item 3 of notes`. */
  readonly of: string;
  /** Relative to the shown value. */
  readonly places: readonly HiddenPlace[];
  readonly read: (place: HiddenPlace) => Promise<{ readonly value: string }>;
}

/** The only revealed value. It is kept until another value is revealed or its view closes. */
const open = signal<{ readonly key: string; readonly value: string } | undefined>(undefined);

/** The buttons that are shown, in their order: the keys use them. */
const buttons: { readonly name: string; readonly reveal: () => void }[] = [];

/** Binds the keys of the buttons that are shown. */
export function RevealKeys() {
  const next = () => {
    const at = buttons.findIndex(({ name }) => name === open.value?.key);
    (buttons[at + 1] ?? buttons[0])?.reveal();
  };
  usePageKeys([
    { key: 'v', does: 'Reveal the next hidden value', run: next },
    { key: 'h', does: 'Hide the revealed value', run: () => (open.value = undefined) },
  ]);
  return null;
}

/** The places in one member of a value; {@link Reveals.read} receives their whole paths. */
export function within(reveals: Reveals | undefined, ...path: readonly string[]): Reveals | undefined {
  if (!reveals) return undefined;
  const places = reveals.places.flatMap((place) => {
    const isIn = path.every((member, index) => place.path[index] === member);
    return isIn ? [{ ...place, path: place.path.slice(path.length) }] : [];
  });
  return {
    of: [reveals.of, ...path].join(' '),
    places,
    read: (place) => reveals.read({ ...place, path: [...path, ...place.path] }),
  };
}

/** A button for each hidden place; the revealed value is next to its button. */
export function RevealButtons({ reveals, places = reveals.places }: { reveals: Reveals; places?: Reveals['places'] }) {
  return (
    <>
      {places.map((place) => (
        <RevealButton key={place.path.join('.')} reveals={reveals} place={place} />
      ))}
    </>
  );
}

function RevealButton({ reveals, place }: { readonly reveals: Reveals; readonly place: HiddenPlace }) {
  const name = `${place.path.join('.')} of ${reveals.of}`;
  const hide = () => {
    if (open.value?.key === name) open.value = undefined;
  };
  const reveal = () =>
    void attempt(`${name} is revealed`, async () => {
      const { value } = await reveals.read(place);
      open.value = { key: name, value };
    });
  useEffect(() => {
    const button = { name, reveal };
    buttons.push(button);
    return () => {
      buttons.splice(buttons.indexOf(button), 1);
      hide();
    };
  }, [name]);
  if (open.value?.key !== name)
    return <Action label="Reveal" of={` ${name}: ${place.why}`} shortcut="v" onClick={reveal} />;
  return (
    <>
      <mark class="revealed">{open.value.value}</mark>
      <Action label="Hide" of={` ${name}`} shortcut="h" onClick={hide} />
    </>
  );
}

/** A string that no value contains: JSON shows it as an escape. */
const MARK = '\u0001';

/** A copy of a value in which the members with hidden places are marked, and the content of each mark. */
export function marked(value: unknown, places: readonly HiddenPlace[]) {
  const groups = new Map<string, { readonly shown: unknown; readonly places: HiddenPlace[] }>();
  const copy: unknown = structuredClone({ value });
  for (const place of places) {
    const path = existing(value, place.path);
    const key = JSON.stringify(path);
    const group = groups.get(key) ?? { shown: at(value, path), places: [] };
    group.places.push(place);
    groups.set(key, group);
  }
  const marks = [...groups].map(([key, group], index) => {
    const path = ['value', ...(JSON.parse(key) as readonly string[])];
    const parent = at(copy, path.slice(0, -1)) as Record<string, unknown>;
    parent[path.at(-1) ?? ''] = `${MARK}${index}`;
    return group;
  });
  return { copy: at(copy, ['value']), marks };
}

/** The number of a mark; `undefined` for another string. @param token JSON of a string */
export function markOf(token: string): number | undefined {
  const [, number] = /^"\\u0001(\d+)"$/.exec(token) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The beginning of a path that exists: a place in JSON of a string is at the string. */
function existing(value: unknown, path: readonly string[]): readonly string[] {
  const end = path.findIndex((_, index) => at(value, path.slice(0, index + 1)) === undefined);
  return end < 0 ? path : path.slice(0, end);
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const member of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, member)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[member];
  }
  return found;
}
