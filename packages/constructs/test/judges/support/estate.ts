import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type App, Stack } from 'aws-cdk-lib/core';
import { ServiceFunction } from '../../../src/function.js';
import { GraphqlApi } from '../../../src/graphql.js';
import { ApiDomain, FunctionUrl, HttpApi, type IHttpDoor, RestApi, WebSocketApi } from '../../../src/http.js';
import { McpServer } from '../../../src/mcp.js';
import { ConnectionsTable, EventBusTable, JobsTable, RateLimitTable } from '../../../src/state.js';

const CERTIFICATE = 'arn:aws:acm:eu-west-1:123456789012:certificate/6f1f8e4c-5a3b-4d44-9d86-0123456789ab';

/** One stack with every construct, with the defaults wherever there are some. */
export function createEstate(app: App): Stack {
  const stack = new Stack(app, 'Estate');
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  new JobsTable(stack, 'Jobs').bindTo(fn);
  new EventBusTable(stack, 'Events').bindTo(fn);
  new RateLimitTable(stack, 'Limits').bindTo(fn);
  new ConnectionsTable(stack, 'Connections').bindTo(fn);
  addDoors(stack, fn);
  return stack;
}

function addDoors(stack: Stack, fn: ServiceFunction['fn']): void {
  const certificate = Certificate.fromCertificateArn(stack, 'Certificate', CERTIFICATE);
  const domain = new ApiDomain(stack, 'Domain', { domainName: 'notes.example.com', certificate });
  const http = new HttpApi(stack, 'Http', { fn, domain });
  const rest = new RestApi(stack, 'Rest', { fn });
  const url = new FunctionUrl(stack, 'Url', { fn });
  new McpServer(stack, 'Mcp', { fn, api: rest, generateSecret: true });
  for (const door of [http, rest, url] as readonly IHttpDoor[]) {
    door.addRoutes([{ method: 'GET', path: '/notes/{id}' }, { method: 'GET', path: '/progress', streaming: door.canStream }]);
    door.attachContainer('secure');
  }
  const sockets = new WebSocketApi(stack, 'Sockets', { fn, respond: true });
  for (const key of ['$connect', '$disconnect', 'say']) sockets.addRouteKey(key);
  sockets.attachContainer('secure');
  const graphql = new GraphqlApi(stack, 'GraphQl', { fn, schemaFile: writeSchema() });
  graphql.addField({ parentType: 'Query', field: 'note' });
  graphql.addField({ parentType: 'Note', field: 'author', batch: true });
}

function writeSchema(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sallyport-estate-')), 'schema.graphql');
  writeFileSync(file, 'type Note { author: String }\ntype Query { note(id: ID!): Note }\n');
  return file;
}
