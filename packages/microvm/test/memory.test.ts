import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { watchLeaks } from './support/leaks.js';
import { startService } from './support/wire.js';

const watch = watchLeaks();
const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 'x');

it('an answer of 100 MiB passes through with at most 8 MiB of memory', async () => {
  const service = await startService({
    program: (request, response) => {
      let left = request.url === '/large' ? 1600 : 16;
      const write = () => {
        while (left > 0) {
          left -= 1;
          if (!response.write(CHUNK)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    },
  });
  watch.secrets(() => service.secrets);
  const program = fileURLToPath(new URL('./programs/stream.ts', import.meta.url));
  const flags = ['--expose-gc', '--no-warnings', '--conditions=@sallyport/source', '--import', 'tsx'];
  const job = JSON.stringify({ endpoint: service.endpoint, ...service.endpoints });
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, job]);
  await service.stop();
  const { bytes, grown } = JSON.parse(watch.keep(stdout)) as { bytes: number; grown: number };
  expect(bytes).toBe(100 * MIB);
  expect(grown).toBeGreaterThan(0);
  expect(grown).toBeLessThanOrEqual(8 * MIB);
});
