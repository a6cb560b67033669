/** The name of the callback that `cancelExecution` completes. */
export const CANCEL = 'framework cancel';
