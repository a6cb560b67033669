import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { TokenRequest } from '../../src/internal/console/api.js';
import { useKeys } from '../keys.js';

/** The caller: anonymous, or a user with a token of the local issuer. All views share it. */
export const caller = signal<TokenRequest | undefined>(undefined);

/** Chooses {@link caller}. */
export function AsPicker() {
  const { sub = '', scopes = [], tenant = '', kind = '' } = caller.value ?? {};
  const set = (change: Partial<TokenRequest>) => {
    const next = { sub, scopes, tenant, kind, ...change };
    caller.value = {
      sub: next.sub,
      ...(next.scopes.length > 0 && { scopes: next.scopes }),
      ...(next.tenant !== '' && { tenant: next.tenant }),
      ...(next.kind !== '' && { kind: next.kind }),
    };
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
          onChange={() => (caller.value = undefined)}
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
