import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An issuer on this machine: keys made at start, published on loopback. */
export interface Issuer {
  readonly keysUrl: string;
  sign(claims: Record<string, unknown>, expiresIn?: string): Promise<string>;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] });
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/jwk-set+json').end(keys);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    keysUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    sign: (claims, expiresIn = '5m') =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .setIssuer('https://issuer.notes.example')
        .setAudience('notes')
        .setIssuedAt()
        .setExpirationTime(expiresIn)
        .sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
