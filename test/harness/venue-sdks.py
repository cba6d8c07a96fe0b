"""Public venue SDKs against a native replay server: nothing here knows Ladderlog. Prints one JSON object."""

import asyncio
import json
import sys


async def venue_b(arguments):
    from pykalshi import AsyncKalshiClient
    from pykalshi.afeed import AsyncFeed
    from pykalshi.feed import OrderbookDeltaMessage, OrderbookSnapshotMessage
    from pykalshi.orderbook import OrderbookManager

    client = AsyncKalshiClient(
        api_key_id="replay", private_key_path=arguments["key"], api_base=arguments["rest"]
    )
    ticker = arguments["ticker"]
    market = await client.get_market(ticker)
    rest = await market.get_orderbook()
    feed = AsyncFeed(client)
    feed._ws_url = arguments["ws"]
    feed.subscribe("orderbook_delta", market_tickers=[ticker])
    book = OrderbookManager(ticker)
    seen = 0
    async for message in feed:
        if isinstance(message, OrderbookSnapshotMessage):
            book.apply_snapshot(message.yes_dollars_fp, message.no_dollars_fp)
        elif isinstance(message, OrderbookDeltaMessage):
            book.apply_delta(message.side, message.price_dollars, message.delta_fp)
        else:
            continue
        seen += 1
        if seen >= arguments["messages"]:
            break
    await feed.disconnect()
    await client.aclose()
    return {
        "ticker": market.data.ticker,
        "rest_levels": len(rest.orderbook.yes_dollars or []) + len(rest.orderbook.no_dollars or []),
        "yes": book.yes,
        "no": book.no,
        "best_bid": book.best_bid,
        "best_ask": book.best_ask,
    }


def venue_c(arguments):
    from py_clob_client.client import ClobClient
    from py_clob_client.clob_types import BookParams

    client = ClobClient(arguments["clob"])
    token = arguments["token"]
    book = client.get_order_book(token)
    stated = book.hash
    return {
        "market": book.market,
        "bids": [[level.price, level.size] for level in book.bids],
        "asks": [[level.price, level.size] for level in book.asks],
        # The SDK's own hash of what it got, and the one the server stated.
        "hash_agrees": client.get_order_book_hash(book) == stated,
        "tick_size": client.get_tick_size(token),
        "price": client.get_price(token, "SELL"),
        "midpoint": client.get_midpoint(token),
        "books": len(client.get_order_books([BookParams(token_id=token)])),
    }


if __name__ == "__main__":
    venue, arguments = sys.argv[1], json.loads(sys.argv[2])
    print(json.dumps(asyncio.run(venue_b(arguments)) if venue == "venueb" else venue_c(arguments)))
