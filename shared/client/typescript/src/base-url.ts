/** Reads the address of the API. It is no general parser of addresses: what keys are sent to is held to one form. */
import { OptionsError } from './errors.js';

const shape = /^(https?):\/\/[^\s/?#@\\]+(\/[^\s?#%\\]*)?$/i;

/**
 * Reads the address of the API, which ends in /v1: https, or http on this machine. A slash at the end is left out.
 * @throws OptionsError
 */
export function parseBaseUrl(text: string): URL {
  if (!shape.test(text)) {
    throw new OptionsError('baseUrl must be absolute, like https://api.example.com/v1, without user, query or fragment');
  }
  let base: URL;
  try {
    base = new URL(text);
  } catch {
    throw new OptionsError('baseUrl is no URL');
  }
  if (base.protocol !== 'https:' && !isLoopback(base.hostname)) {
    throw new OptionsError('baseUrl must begin with https://');
  }
  base.pathname = base.pathname.replace(/\/$/, '');
  if (!base.pathname.endsWith('/v1')) {
    throw new OptionsError('baseUrl must end in /v1');
  }
  return base;
}

/** Tells whether a host is this machine. URL has written addresses of version 4 in four decimal numbers by now. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
