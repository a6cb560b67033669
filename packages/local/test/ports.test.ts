import { createServer } from 'node:net';
import { findPorts } from '../src/internal/host/ports.js';

/** Operating systems assign ports from here on to clients: https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html. */
const FIRST_OF_THE_SYSTEM = 32_768;

test('chosen ports cannot be assigned to other programs before the doors listen', async () => {
  const ports = Object.values(await findPorts(0));
  expect(new Set(ports).size).toBe(8);
  for (const port of ports) expect([port > 1024, port < FIRST_OF_THE_SYSTEM]).toEqual([true, true]);
});

test('a port that is taken is named', async () => {
  const { console: first } = await findPorts(0);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(first + 2, '127.0.0.1', resolve));
  await expect(findPorts(first)).rejects.toMatchObject({
    code: 'local.port_taken',
    message: expect.stringContaining(`port ${first + 2} is already in use`),
  });
  await new Promise((resolve) => server.close(resolve));
});
