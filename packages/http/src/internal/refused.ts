export { internalError as refused } from '@sallyport/core/pipeline';
