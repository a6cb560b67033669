import type { AwsCall } from '../../src/internal/journal/journal.js';
import { Json, Text } from '../parts/json.js';
import { Mark } from '../parts/small.js';
import { duration } from '../parts/view.js';

/** The calls to AWS of an invocation, each with its input and output. */
export function Calls({ calls }: { readonly calls: readonly AwsCall[] }) {
  return (
    <ol class="calls" aria-label="Calls">
      {calls.map((one, index) => (
        <li key={index}>
          <Call call={one} />
        </li>
      ))}
    </ol>
  );
}

function Call({
  call: { service, operation, resource, status, error, ms, input, output },
}: {
  readonly call: AwsCall;
}) {
  const name = `${service} ${operation}`;
  return (
    <details>
      <summary>
        {name} {resource} <Mark tone={error === null ? 'good' : 'bad'}>{error ?? status}</Mark> {duration(ms)}
      </summary>
      <Part label={`Sent to ${name}`} value={input} />
      <Part label={`Received from ${name}`} value={output} />
    </details>
  );
}

function Part({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <>
      <h4>{label}</h4>
      {typeof value === 'string' ? <Text label={label} text={value} /> : <Json label={label} value={value ?? null} />}
    </>
  );
}
