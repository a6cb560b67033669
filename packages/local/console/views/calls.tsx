import type { WriteView } from '../../src/internal/console/api.js';
import type { AwsCall, InvocationRecord } from '../../src/internal/journal/journal.js';
import { Json, Text } from '../parts/json.js';
import { type Reveals, within } from '../parts/reveal.js';
import { Mark } from '../parts/small.js';
import { duration } from '../parts/view.js';
import { Images, useWrites } from './images.js';

/** The calls to AWS of an invocation, each with its input and output, and with the items that it wrote. */
export function Calls({
  record,
  reveals,
}: {
  readonly record: InvocationRecord;
  readonly reveals: Reveals | undefined;
}) {
  const writes = useWrites(record);
  return (
    <ol class="calls" aria-label="Calls">
      {record.awsCalls.map((one, index) => (
        <li key={index}>
          <Call
            call={one}
            writes={writes.flatMap((write, at) => (write.call === index ? [{ write, at }] : []))}
            id={record.id}
            reveals={within(reveals, String(index))}
          />
        </li>
      ))}
    </ol>
  );
}

function Call({
  call: { service, operation, resource, status, error, ms, input, output },
  writes,
  id,
  reveals,
}: {
  readonly call: AwsCall;
  /** With their places among the writes of the invocation. */
  readonly writes: readonly { readonly write: WriteView; readonly at: number }[];
  readonly id: number;
  readonly reveals: Reveals | undefined;
}) {
  const name = `${service} ${operation}`;
  return (
    <details>
      <summary>
        {name} {resource} <Mark tone={error === null ? 'good' : 'bad'}>{error ?? status}</Mark> {duration(ms)}
      </summary>
      <Part label={`Sent to ${name}`} value={input} reveals={within(reveals, 'input')} />
      <Part label={`Received from ${name}`} value={output} reveals={within(reveals, 'output')} />
      {writes.map(({ write, at }) => (
        <Images key={at} write={write} index={at} id={id} />
      ))}
    </details>
  );
}

function Part(props: { readonly label: string; readonly value: unknown; readonly reveals: Reveals | undefined }) {
  const { label, value, reveals } = props;
  return (
    <>
      <h4>{label}</h4>
      {typeof value === 'string' ? (
        <Text label={label} text={value} reveals={reveals} />
      ) : (
        <Json label={label} value={value ?? null} reveals={reveals} />
      )}
    </>
  );
}
