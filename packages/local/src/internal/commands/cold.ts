import { loadConfig } from '../config/load.js';
import { startHost } from '../host/create-host.js';
import { parseArguments, RUN_FLAGS, toFlags } from './arguments.js';
import { type Around, EXIT } from './around.js';

const STARTS = 20;

/** `sallyport cold`: builds as for a deployment, starts the function 20 times, and prints the durations of the init phase. */
export async function cold(args: readonly string[], around: Around): Promise<number> {
  const parsed = parseArguments(args, RUN_FLAGS);
  const config = { ...loadConfig(around.cwd, toFlags(parsed, RUN_FLAGS)), bundle: true, port: 0, state: false };
  const host = await startHost(config, { watch: false, without: ['doors', 'console', 'sources'] });
  try {
    if (host.invoker.code().state === 'broken') {
      around.err('the service does not compile\n');
      return EXIT.build;
    }
    const times: number[] = [];
    for (let start = 0; start < STARTS; start += 1) times.push(await host.coldStart());
    times.sort((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
    const result = { starts: STARTS, p50: at(0.5), p90: at(0.9), least: at(0), most: at(1) };
    if (parsed.values.json) around.out(`${JSON.stringify({ type: 'cold', ...result })}\n`);
    else
      around.out(
        `${STARTS} starts: median ${result.p50} ms, 90 % within ${result.p90} ms (${result.least} to ${result.most})\n`,
      );
    return EXIT.ok;
  } catch (error) {
    around.err(`${(error as Error).message}\n`);
    return EXIT.build;
  } finally {
    await host.stop();
  }
}
