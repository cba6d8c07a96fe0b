"""A client of this API family as others write it: plain `requests`, Bearer key, next_cursor / has_more, error.code,
Retry-After, True for a boolean. Usage: python-client.py BASE_URL KEY PATH"""

import json
import sys
import time

import requests


class ApiError(Exception):
    def __init__(self, status, code, message, request_id):
        super().__init__(f"{status} {code}: {message} ({request_id})")
        self.status, self.code = status, code


class Client:
    def __init__(self, base_url, api_key):
        self.base_url = base_url.rstrip("/")
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {api_key}"
        self.waits = 0

    def get(self, path, **params):
        for _ in range(10):
            response = self.session.get(self.base_url + path, params=params, timeout=30)
            if response.status_code in (429, 503):
                self.waits += 1
                time.sleep(int(response.headers["Retry-After"]))
                continue
            body = response.json()
            if response.status_code >= 400:
                error = body["error"]
                raise ApiError(response.status_code, error["code"], error["message"], body["meta"]["request_id"])
            return body
        raise RuntimeError("gave up")

    def pages(self, path, **params):
        cursor = None
        while True:
            page = self.get(path, **params, **({"cursor": cursor} if cursor else {}))
            yield page
            if not page["pagination"]["has_more"]:
                return
            cursor = page["pagination"]["next_cursor"]


def main():
    base_url, key, path = sys.argv[1:4]
    client = Client(base_url, key)
    ids, ladders = [], 0
    for page in client.pages(path, limit=8, include_orderbook=True):
        ids += [record["position"] for record in page["data"]]
        ladders += sum("orderbook" in record for record in page["data"])
        assert page["meta"]["request_id"]
    try:
        client.get("/v3/venueb/NOBODY/snapshots")
        code = None
    except ApiError as error:
        code = error.code
    print(json.dumps({"ids": ids, "ladders": ladders, "code": code, "waits": client.waits}))


main()
