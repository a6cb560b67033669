const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/i;

/**
 * Whether a `Host` header names this machine. A page of another site can send requests to a loopback port under a name of its
 * own (DNS rebinding); it cannot choose this header.
 */
export function isOwnHost(header: string | undefined, allowed: readonly string[] = []): boolean {
  const name = (header ?? '').replace(/:\d+$/, '');
  return LOOPBACK.test(name) || allowed.some((other) => other.toLowerCase() === name.toLowerCase());
}
