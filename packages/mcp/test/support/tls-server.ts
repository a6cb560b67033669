import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server with TLS at a port of this machine. */
export interface TlsServer {
  readonly port: number;
  /** The certificate, which clients must trust. */
  readonly ca: string;
  close(): void;
}

/** Starts a server with a certificate for these host names. */
export async function startTlsServer(hosts: readonly string[], listener: RequestListener): Promise<TlsServer> {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-tls-'));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const names = hosts.map((host) => `DNS:${host}`).join(',');
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${hosts[0]}`];
  const files = ['-keyout', key, '-out', cert, '-addext', `subjectAltName=${names}`];
  execFileSync('openssl', [...request, ...files], { stdio: 'ignore' });
  const ca = readFileSync(cert, 'utf8');
  const server = createServer({ key: readFileSync(key), cert: ca }, listener);
  rmSync(directory, { recursive: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
