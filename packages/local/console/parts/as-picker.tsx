import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { TokenRequest } from '../../src/internal/console/api.js';
import type { RouteView } from '../../src/internal/inspect/inspection.js';
import { useKeys } from '../keys.js';

/** The caller: anonymous, or a user with a token of the local issuer. All views share it. */
export const caller = signal<TokenRequest | undefined>(undefined);

const isChosen = signal(false);

/** Chooses a caller that the operation accepts, until the user chooses one. */
export function suggestCaller(operation: RouteView | undefined): void {
  if (!isChosen.peek() && operation) caller.value = acceptedBy(operation);
}

function acceptedBy({ posture, scopes }: RouteView): TokenRequest | undefined {
  if (posture === null || posture === 'public' || posture === 'optional') return undefined;
  return {
    sub: 'ada',
    ...(scopes.length > 0 && { scopes }),
    ...(posture === 'internal_only' && { kind: 'internal' }),
  };
}

function chooseCaller(next: TokenRequest | undefined): void {
  isChosen.value = true;
  caller.value = next;
}

/** Chooses {@link caller}. */
export function AsPicker() {
  const { sub = '', scopes = [], tenant = '', kind = '' } = caller.value ?? {};
  const set = (change: Partial<TokenRequest>) => {
    const next = { sub, scopes, tenant, kind, ...change };
    chooseCaller({
      sub: next.sub,
      ...(next.scopes.length > 0 && { scopes: next.scopes }),
      ...(next.tenant !== '' && { tenant: next.tenant }),
      ...(next.kind !== '' && { kind: next.kind }),
    });
  };
  const isSignedIn = caller.value !== undefined;
  const anonymous = useRef<HTMLInputElement>(null);
  const signedIn = useRef<HTMLInputElement>(null);
  const focus = () => (isSignedIn ? signedIn : anonymous).current?.focus();
  useKeys([{ key: 'a', does: 'Choose the caller', run: focus }]);
  return (
    <fieldset class="as">
      <legend>As</legend>
      <label class="choice">
        <input
          ref={anonymous}
          type="radio"
          name="as"
          checked={!isSignedIn}
          aria-keyshortcuts="a"
          onChange={() => chooseCaller(undefined)}
        />{' '}
        anonymous
      </label>
      <label class="choice">
        <input
          ref={signedIn}
          type="radio"
          name="as"
          checked={isSignedIn}
          aria-keyshortcuts="a"
          onChange={() => set({ sub: sub || 'ada' })}
        />{' '}
        signed in
      </label>
      {isSignedIn && (
        <div class="fields">
          <Field label="subject" value={sub} onInput={(value) => set({ sub: value })} />
          <Field
            label="scopes"
            value={scopes.join(' ')}
            onInput={(value) => set({ scopes: value.split(/[\s,]+/).filter((one) => one !== '') })}
          />
          <Field label="tenant" value={tenant} onInput={(value) => set({ tenant: value })} />
          <label>
            kind{' '}
            <select value={kind} onChange={({ currentTarget }) => set({ kind: currentTarget.value })}>
              <option value="">external</option>
              <option value="internal">internal</option>
            </select>
          </label>
        </div>
      )}
    </fieldset>
  );
}

function Field(props: { readonly label: string; readonly value: string; readonly onInput: (value: string) => void }) {
  return (
    <label>
      {props.label}{' '}
      <input
        value={props.value}
        onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
        spellcheck={false}
      />
    </label>
  );
}
