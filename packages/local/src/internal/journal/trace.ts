import { randomBytes } from 'node:crypto';

/** The parts of `X-Amzn-Trace-Id`; a header without `Root=` is a root alone. */
export function parseTrace(header: string): { readonly root: string; readonly parent: string } {
  if (!header.includes('=')) return { root: header, parent: '' };
  const parts = new Map(header.split(';').map((part) => part.trim().split('=', 2) as [string, string]));
  return { root: parts.get('Root') ?? '', parent: parts.get('Parent') ?? '' };
}

/** The trace of one invocation: the trace of the call that caused its event, or a new trace. */
export function startTrace(header: string | undefined, now: number) {
  const given = parseTrace(header ?? '');
  const root = given.root === '' ? `1-${hex(Math.floor(now / 1000))}-${randomBytes(12).toString('hex')}` : given.root;
  const segment = randomBytes(8).toString('hex');
  return { root, segment, parent: given.parent, header: `Root=${root};Parent=${segment};Sampled=1` };
}

const hex = (seconds: number) => seconds.toString(16).padStart(8, '0');
