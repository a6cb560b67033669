import { Stack } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { createServiceFunction } from './function.js';
import { addMcp } from './mcp.js';

export class __CLASS_NAME__Stack extends Stack {
  constructor(scope: Construct, id: string, { code }: { readonly code: Code }) {
    super(scope, id);
    addMcp(this, createServiceFunction(this, code));
  }
}
