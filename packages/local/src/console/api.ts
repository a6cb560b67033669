import type {
  BucketView,
  Caller,
  ConsoleEvent,
  Form,
  InvocationDetail,
  InvocationRow,
  ItemsView,
  Overview,
  Preview,
  RecordingView,
  ReplayView,
  SendRequest,
  Sent,
  SourceView,
  TableView,
} from './model.js';

/** What the console needs of the host that runs the service. Everything that it answers is ready for the page. */
export interface ConsoleApi {
  overview(): Overview;
  /** The invocations that are kept, the oldest first. */
  invocations(): readonly InvocationRow[];
  invocation(id: string): InvocationDetail | undefined;
  sources(): readonly SourceView[];
  /** Calls back for each change until the returned function is called. */
  subscribe(listener: (event: ConsoleEvent) => void): () => void;

  forms(): readonly Form[];
  /** @throws FrameworkError `local.invalid_request` for a form that its builder does not take */
  preview(request: SendRequest): Promise<Preview>;
  /** @throws FrameworkError `local.invalid_request` for a form that its builder does not take */
  send(request: SendRequest): Promise<Sent>;
  /** A signed token of the local issuer. */
  token(caller: Caller): Promise<string>;

  /** Ends the wait of a record, or of all records of a source. */
  hurry(source: string, record?: string): void;
  /** The content of a record, dead or not. */
  look(source: string, record: string): unknown;
  sendBack(source: string, record: string): void;
  remove(source: string, record: string): void;
  setSpeed(speed: number): void;

  tables(): Promise<readonly TableView[]>;
  items(table: string, start?: string): Promise<ItemsView>;
  buckets(): Promise<readonly BucketView[]>;

  openapi(): Promise<unknown>;

  recordings(): Promise<readonly RecordingView[]>;
  /** Saves the event of an invocation; answers the recording's name. */
  save(invocation: string): Promise<string>;
  /** Runs the event of an invocation again, or that of a recording, and compares. */
  replay(of: { readonly invocation: string } | { readonly recording: string }): Promise<ReplayView>;
  /** The recording as a contract fixture. */
  fixture(recording: string): Promise<unknown>;
}
