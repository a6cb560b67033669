/** SHA-256 in hexadecimal digits. Loads `node:crypto` with the first call: it costs milliseconds of a cold start. */
export function sha256(data: string | Uint8Array): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', data);
}

/** SHA-256 as base64url. Loads `node:crypto` like {@link sha256}. */
export function sha256Url(data: string | Uint8Array): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', data, 'base64url');
}
