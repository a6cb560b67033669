// `npm run contract`: holds the TypeScript packages, or a foreign runtime, against the contract's fixtures.
import { runContractCli } from '../tools/contract-runtime/src/index.js';

process.exitCode = await runContractCli(process.argv.slice(2));
