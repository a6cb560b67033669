import { Stack } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { createServiceFunction } from './function.js';
import { addGraphql } from './graphql.js';

export class __CLASS_NAME__Stack extends Stack {
  constructor(scope: Construct, id: string, { code }: { readonly code: Code }) {
    super(scope, id);
    addGraphql(this, createServiceFunction(this, code));
  }
}
