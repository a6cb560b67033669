/** For sources that tests write to a folder outside the packages. */
export { createDispatcher } from '@sallyport/dispatch';
export { createApp } from '@sallyport/dispatch/app';
export { cors, createGatewayRestStreamingHandler, createHttpRouter, json } from '@sallyport/http';
export { Public, SecureApp } from '@sallyport/secure';
