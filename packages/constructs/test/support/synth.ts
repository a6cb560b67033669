import { App, type AppProps, Stack, type StackProps } from 'aws-cdk-lib/core';
import { newFolder } from './folders.js';
import type { Template } from './template.js';

export * from './template.js';

/** An App with a new folder. The CDK's validation is disabled: its engine costs seconds and 300 MB in each process. */
export function newApp(props: AppProps = {}): App {
  process.env.CDK_VALIDATION = 'false';
  process.env.JSII_DEPRECATED = 'fail';
  return new App({ outdir: newFolder(), analyticsReporting: false, ...props });
}

/** A stack named `Test` in a new App. Always with an App: a Stack without an App validates too. */
export function newStack(props: StackProps = {}, app: App = newApp()): Stack {
  return new Stack(app, 'Test', props);
}

/** The template of a stack, synthesised once. */
export function templateOf(stack: Stack): Template {
  const app = stack.node.root as App;
  return app.synth().getStackByName(stack.stackName).template as Template;
}

/** The error message of a function; `''` if it throws nothing. */
export function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
