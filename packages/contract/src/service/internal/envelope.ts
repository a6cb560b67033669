import { PLAIN_ENVELOPE, type SocketEnvelope } from '../contract.js';
import { contractError, type DescribedService } from '../described.js';
import { canonicalText } from './canonical.js';

/**
 * The envelope that the functions of a service state; `undefined` if none does.
 *
 * @throws FrameworkError `app.invalid_configuration` for functions that state different envelopes, and for routes whose handler reads another
 *   member: the error names all of them
 */
export function envelopeOf(functions: readonly DescribedService[]): SocketEnvelope | undefined {
  const stated = functions.flatMap(({ function: from, envelope }) =>
    envelope ? [{ from, envelope: { ...PLAIN_ENVELOPE, ...envelope } }] : [],
  );
  const [first] = stated;
  const other = stated.find(({ envelope }) => canonicalText(envelope) !== canonicalText(first?.envelope));
  if (first && other)
    throw contractError(`${first.from} and ${other.from} state different envelopes of WebSocket messages`);
  const { data } = first?.envelope ?? PLAIN_ENVELOPE;
  const strays = functions.flatMap(({ function: from, routes }) =>
    routes.flatMap(({ webSocketRouteKey: key, states: { message, member } = {} }) =>
      message === undefined || member === undefined || member === data
        ? []
        : [`the message of ${String(key)} (${from}) is in the member ${String(member)}`],
    ),
  );
  if (strays.length > 0)
    throw contractError(
      `${strays.join('; ')}: the envelope has the data in ${data}; state it as socket: { envelope: { data } } of the container`,
    );
  return first?.envelope;
}
