import { Source } from '@sallyport/constructs';
import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

const ACTIONS = {
  read: ['dynamodb:Query'],
  write: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
};

/** The table of the notes. */
export class NotesTable extends Table {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      partitionKey: { name: 'list', type: AttributeType.STRING },
      sortKey: { name: 'id', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
  }

  /** The changes of the table, which the service receives. */
  changes(): Source {
    return Source.tableStream('notes', this as ITable);
  }

  /** Names the table in the variable `NOTES_TABLE` of a function, and grants the actions of `src/table-notes.ts`. */
  bindTo(fn: LambdaFunction, access: keyof typeof ACTIONS): void {
    fn.addEnvironment('NOTES_TABLE', this.tableName);
    fn.addToRolePolicy(new PolicyStatement({ actions: ACTIONS[access], resources: [this.tableArn] }));
  }
}
