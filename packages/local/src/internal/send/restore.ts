/**
 * An edited event with the values that were hidden from its editor. A value that was not edited is the one of the event, so that a token
 * that the page shows as `[REDACTED]` is sent unchanged.
 *
 * @param edited the event that the developer sends
 * @param shown the event as the page showed it
 * @param raw the event as the function received it
 */
export function restoreHidden(edited: unknown, shown: unknown, raw: unknown): unknown {
  if (typeof edited === 'string') return edited === shown && typeof raw === 'string' ? raw : edited;
  if (Array.isArray(edited)) {
    if (!Array.isArray(shown) || !Array.isArray(raw)) return edited;
    return edited.map((member, at) => restoreHidden(member, shown[at], raw[at]));
  }
  if (!isMembers(edited) || !isMembers(shown) || !isMembers(raw)) return edited;
  return Object.fromEntries(
    Object.entries(edited).map(([name, value]) => [name, restoreHidden(value, own(shown, name), own(raw, name))]),
  );
}

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
