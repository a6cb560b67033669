import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Flags, loadConfig } from '../src/internal/config/load.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-config-'));
  write('package.json', {});
  write('src/lambda.ts', {});
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, content: object): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
}

const deployed = (...functions: object[]) =>
  write('cdk.out/sallyport.json', { version: 1, functions: functions.map((one) => ({ sources: [], ...one })) });

describe('the time limit and the memory', () => {
  it.each<[string, object[], object, Flags, [number, number]]>([
    ['are 10 s and 256 MB', [], {}, {}, [10_000, 256]],
    ['are as deployed', [{ timeoutMs: 29_000, memoryMb: 1024 }], {}, {}, [29_000, 1024]],
    ['are the defaults where only the deployment knows them', [{}], {}, {}, [10_000, 256]],
    [
      'are those of the function with the entry file',
      [
        { entry: 'src/worker.ts', timeoutMs: 900_000, memoryMb: 3008 },
        { entry: 'src/lambda.ts', timeoutMs: 5000, memoryMb: 128 },
      ],
      {},
      {},
      [5000, 128],
    ],
    ['are those of sallyport.json first', [{ timeoutMs: 29_000, memoryMb: 1024 }], { timeout: 3 }, {}, [3000, 1024]],
    [
      'are those of the flags before all',
      [{ timeoutMs: 29_000 }],
      { timeout: 3, memory: 512 },
      { timeout: 0.5 },
      [500, 512],
    ],
  ])('%s', (_name, functions, file, flags, [timeoutMs, memoryMb]) => {
    if (functions.length > 0) deployed(...functions);
    write('sallyport.json', file);
    expect(loadConfig(folder, flags)).toMatchObject({ timeoutMs, memoryMb });
  });

  it('are not taken of a manifest that is wrong', () => {
    deployed({ memoryMb: 64 });
    expect(() => loadConfig(folder, {})).toThrow(expect.failure('local.usage', 'functions[0].memoryMb', '64', '128'));
  });
});
