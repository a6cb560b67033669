import { Stack } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { addEvents } from './events.js';
import { createServiceFunction } from './function.js';
import { addGraphql } from './graphql.js';
import { addHttp } from './http.js';
import { addMcp } from './mcp.js';
import { addSockets } from './sockets.js';

export class __CLASS_NAME__Stack extends Stack {
  constructor(scope: Construct, id: string, { code }: { readonly code: Code }) {
    super(scope, id);
    const service = createServiceFunction(this, code);
    for (const add of [addHttp, addEvents, addGraphql, addSockets, addMcp]) add(this, service);
  }
}
