import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The commands of the AWS CLI that a runbook uses, with the clients of the SDK: the CLI is not part of this repository. */
export const AWS_CLI = `#!${process.execPath}
const { createRequire } = require('node:module');
const lambda = createRequire(${JSON.stringify(import.meta.url)})('@aws-sdk/client-lambda');
const [service, command, ...flags] = process.argv.slice(2);
const value = (flag) => flags[flags.indexOf(flag) + 1];
const settings = { endpoint: process.env.AWS_ENDPOINT_URL, region: 'eu-west-1' };
const client = new lambda.LambdaClient(settings);
const UUID = value('--uuid');
const run = {
  'get-event-source-mapping': () => client.send(new lambda.GetEventSourceMappingCommand({ UUID })),
  'update-event-source-mapping': () =>
    client.send(new lambda.UpdateEventSourceMappingCommand({ UUID, Enabled: flags.includes('--enabled') })),
  'delete-function-concurrency': () =>
    client.send(new lambda.DeleteFunctionConcurrencyCommand({ FunctionName: value('--function-name') })),
}[command];
run().then(({ State, LastProcessingResult }) => console.log(JSON.stringify([State, LastProcessingResult])));
`;

/** Writes a program into the folder `bin`. */
export function writeProgram(folder: string, name: string, source: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', name), source);
  chmodSync(join(folder, 'bin', name), 0o755);
}
