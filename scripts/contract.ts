// `npm run contract`: compares the TypeScript packages, or a runtime in another language, with the contract's fixtures.
import { runContractCli } from '../tools/contract-runtime/src/cli.js';

process.exitCode = await runContractCli(process.argv.slice(2));
