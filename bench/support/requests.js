import http from 'node:http';

/** Sends one request with an API key, and returns the parsed body of a successful response. */
export function requestJson({ url, agent, apiKey }, method, route, body) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    ...(text !== '' && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(new URL(`/v1/public-api${route}`, url), { method, agent, headers });
    request.once('error', reject).once('response', (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk) => (received += chunk));
      response.once('end', () => {
        if (response.statusCode < 300) resolve(JSON.parse(received));
        else reject(new Error(`${method} ${route}: ${response.statusCode} ${received}`));
      });
    });
    request.end(text);
  });
}
