const WIDEN = 'accept both forms first, and remove the old form when no sender uses it';
const VERSION = 'keep the old form, and add the new one under another member, status or path, such as /v2';

/** The way out of each rule; all others are widened or versioned by their direction. */
const REMEDIES: Readonly<Record<string, string>> = {
  'required-added': 'add the member as optional with a default, and require it when every sender sends it',
  required: 'keep it optional with a default, and require it when every sender sends it',
  closed: 'accept other members, or ignore them, until no sender sends them',
  removed: 'keep the member until no receiver reads it; mark it as deprecated',
  enum: 'receivers need a case for unknown values; add it before the first value is sent',
  'entry-removed': 'keep it until nothing calls it and nothing is in flight',
  'event-removed': 'keep sending it until no client reads it',
  'posture-tightened': 'hand the credentials to every caller first, and tighten the rule afterwards',
  'scope-added': 'grant the scope to every caller first, or accept both with AuthenticatedAnyOf',
  'status-added': 'callers need a case for the status; keep the old one where you can',
  'body-removed': VERSION,
  'not-stated': 'state it again: callers lose its type',
  'error-added': 'callers need a case for the code',
  'error-removed': 'callers can remove their case for the code',
  renamed: 'only types of callers change: write them again',
  'envelope-changed': 'use a second WebSocket API with the new names, and remove the old one when no client uses it',
  'order-added':
    'senders must use the member as message group or partition key first; register it when no other message is in flight',
  'order-changed': 'use a second source with the new key, and remove the old one when it is empty',
  'order-removed': 'senders can keep the key: other consumers may need its order',
  unknown: 'one of the two schemas cannot be written as JSON Schema: see "unknown" in contract.json',
  'idempotency-added': 'callers should send the header idempotency-key',
  'idempotency-removed': 'keep it: clients repeat failed requests, which would have their effect twice',
  'repeatable-removed': 'keep it: clients repeat failed requests, which would have their effect twice',
};

/** The remedy of a change. */
export function remedyOf(change: string, at: string): string {
  const known = REMEDIES[change];
  if (known !== undefined) return known;
  return /^[A-Z]+ \//.test(at) ? `${WIDEN}; or ${VERSION}` : `${WIDEN}; or use a second message type`;
}
