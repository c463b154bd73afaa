// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// Trades that nobody makes. A node is asked to run this code at two accounts that have never been used, with money that it is
/// told to imagine. Whatever happens is undone at the end of each trial, so that none sees what another did.
contract TestTrade {
    /// What became of a trial.
    uint256 constant POOL_UNKNOWN = 1; // the pool answers like no kind that is known here
    uint256 constant NO_MONEY = 2; // the quote asset could not be had, or the pool holds too little of it
    uint256 constant BUY_FAILED = 3;
    uint256 constant NOTHING_BOUGHT = 4; // the purchase went through and nothing came of it
    uint256 constant SELL_FAILED = 5;
    uint256 constant DONE = 6;

    /// Whoever asks for less than the pool would give passes its check, whatever fee up to this one the pool takes: in 1/1000.
    uint256 constant CONSERVATIVE_FEE = 10;
    uint256 constant LEAST_AMOUNT = 1000;

    struct Trade {
        address token;
        address quote;
        address pool;
        address partner; // the other account that runs this code
        uint256 share; // of the pool's quote that is spent, in 1e-12
        bool wraps; // the quote asset is the native coin's wrapper
    }

    /// What was asked for and what came, in raw units.
    struct Outcome {
        uint256 status;
        uint256 bought;
        uint256 buyAsked;
        uint256 sold;
        uint256 sellArrived;
        uint256 quoteAsked;
        uint256 quoteGot;
    }

    error Undone(Outcome outcome);

    // Who pays whom in the callback of a concentrated pool, while a swap is under way.
    address private payToken;
    address private payer;
    address private paidPool;
    uint256 private arrived;

    receive() external payable {}

    /// trials runs every trial by itself: all at once, in two halves, from the partner's account, ten times as much.
    function trials(Trade calldata t) external returns (Outcome[4] memory outcomes) {
        for (uint256 i = 0; i < 4; i++) {
            (, bytes memory data) = address(this).call(abi.encodeCall(this.trial, (t, i)));
            if (data.length == 4 + 7 * 32) {
                bytes memory body = new bytes(7 * 32);
                for (uint256 j = 0; j < 7; j++) {
                    assembly {
                        mstore(add(add(body, 32), mul(j, 32)), mload(add(add(data, 36), mul(j, 32))))
                    }
                }
                outcomes[i] = abi.decode(body, (Outcome));
            }
        }
    }

    /// trial always reverts, with what happened.
    function trial(Trade calldata t, uint256 number) external {
        Outcome memory o;
        try this.buy(t, number == 3 ? 10 : 1) returns (Outcome memory bought) {
            o = bought;
        } catch {
            o.status = BUY_FAILED;
        }
        if (o.status == DONE) {
            uint256 all = balance(t.token, address(this));
            if (number == 1) {
                sellPart(o, t, address(this), all / 2);
                sellPart(o, t, address(this), all - all / 2);
            } else if (number == 2) {
                try this.move(t.token, t.partner, all) {
                    sellPart(o, t, t.partner, balance(t.token, t.partner));
                } catch {
                    o.status = SELL_FAILED;
                }
            } else {
                sellPart(o, t, address(this), all);
            }
        }
        revert Undone(o);
    }

    function sellPart(Outcome memory o, Trade calldata t, address seller, uint256 amount) private {
        if (o.status != DONE) {
            return;
        }
        if (amount == 0) {
            o.status = NOTHING_BOUGHT;
            return;
        }
        try TestTrade(payable(seller)).sell(t, amount, seller == address(this) ? t.partner : address(this)) returns (Outcome memory sold) {
            o.sold += sold.sold;
            o.sellArrived += sold.sellArrived;
            o.quoteAsked += sold.quoteAsked;
            o.quoteGot += sold.quoteGot;
        } catch {
            o.status = SELL_FAILED;
        }
    }

    /// buy spends a share of what the pool holds of the quote asset. It reverts when the purchase does.
    function buy(Trade calldata t, uint256 times) external returns (Outcome memory o) {
        uint256 kind = kindOf(t.pool);
        if (kind == 0) {
            o.status = POOL_UNKNOWN;
            return o;
        }
        uint256 amount = (balance(t.quote, t.pool) * t.share / 1e12) * times;
        if (t.wraps) {
            (bool ok,) = t.quote.call{value: amount}(abi.encodeWithSignature("deposit()"));
            if (!ok) amount = 0;
        }
        if (amount < LEAST_AMOUNT || balance(t.quote, address(this)) < amount) {
            o.status = NO_MONEY;
            return o;
        }
        uint256 before = balance(t.token, address(this));
        if (kind == 2) {
            act(t.quote, abi.encodeWithSignature("transfer(address,uint256)", t.pool, amount));
            (, o.buyAsked) = swapPair(t, t.quote);
        } else {
            (o.buyAsked,) = swapConcentrated(t, t.quote, amount, address(this));
        }
        o.bought = balance(t.token, address(this)) - before;
        o.status = o.bought == 0 ? NOTHING_BOUGHT : DONE;
    }

    /// sellShare sells a part of what the account holds, in 1/1000.
    function sellShare(Trade calldata t, uint256 thousandths) external returns (Outcome memory) {
        return this.sell(t, balance(t.token, address(this)) * thousandths / 1000, t.partner);
    }

    /// sell gives tokens to the pool for the quote asset. As with a router, somebody else moves the tokens by allowance.
    function sell(Trade calldata t, uint256 amount, address mover) external returns (Outcome memory o) {
        uint256 quoteBefore = balance(t.quote, address(this));
        o.sold = balance(t.token, address(this));
        act(t.token, abi.encodeWithSignature("approve(address,uint256)", mover, amount));
        if (kindOf(t.pool) == 2) {
            TestTrade(payable(mover)).pull(t.token, address(this), t.pool, amount);
            (o.sellArrived, o.quoteAsked) = swapPair(t, t.token);
        } else {
            (o.quoteAsked, o.sellArrived) = swapConcentrated(t, t.token, amount, mover);
        }
        o.sold = o.sold - balance(t.token, address(this));
        o.quoteGot = balance(t.quote, address(this)) - quoteBefore;
        require(o.quoteGot > 0);
        o.status = DONE;
    }

    /// swapPair trades what was sent to a pair of constant product. The reserves are read after the transfer, because a token may
    /// trade in the middle of it.
    function swapPair(Trade calldata t, address input) private returns (uint256 received, uint256 asked) {
        bool first = tokenOf(t.pool, "token0()") == input;
        (bool ok, bytes memory data) = t.pool.staticcall(abi.encodeWithSignature("getReserves()"));
        require(ok && data.length >= 64);
        (uint256 reserveIn, uint256 reserveOut) = abi.decode(data, (uint256, uint256));
        if (!first) (reserveIn, reserveOut) = (reserveOut, reserveIn);
        received = balance(input, t.pool) - reserveIn;
        require(received > 0);
        uint256 charged = received * (1000 - CONSERVATIVE_FEE);
        asked = charged * reserveOut / (reserveIn * 1000 + charged);
        act(t.pool, abi.encodeWithSignature("swap(uint256,uint256,address,bytes)", first ? 0 : asked, first ? asked : 0, address(this), ""));
    }

    /// swapConcentrated trades in a pool that asks to be paid by a callback.
    function swapConcentrated(Trade calldata t, address input, uint256 amount, address mover) private returns (uint256 asked, uint256 received) {
        bool first = tokenOf(t.pool, "token0()") == input;
        (payToken, payer, paidPool, arrived) = (input, mover, t.pool, 0);
        (bool ok, bytes memory data) = t.pool.call(
            abi.encodeWithSignature(
                "swap(address,bool,int256,uint160,bytes)",
                address(this),
                first,
                int256(amount),
                first ? uint160(4295128740) : uint160(1461446703485210103287273052203988822378723970341),
                ""
            )
        );
        require(ok && data.length >= 64);
        (int256 amount0, int256 amount1) = abi.decode(data, (int256, int256));
        asked = uint256(-(first ? amount1 : amount0));
        received = arrived;
        paidPool = address(0);
    }

    /// The callback has a name of its own on every exchange; its first two arguments are always what is owed.
    fallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == paidPool && data.length >= 68);
        (int256 amount0, int256 amount1) = abi.decode(data[4:68], (int256, int256));
        uint256 owed = uint256(amount0 > 0 ? amount0 : amount1);
        uint256 before = balance(payToken, paidPool);
        if (payer == address(this)) {
            act(payToken, abi.encodeWithSignature("transfer(address,uint256)", paidPool, owed));
        } else {
            TestTrade(payable(payer)).pull(payToken, address(this), paidPool, owed);
        }
        arrived = balance(payToken, paidPool) - before;
        return "";
    }

    /// pull moves tokens by allowance.
    function pull(address token, address from, address to, uint256 amount) external {
        act(token, abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount));
    }

    /// move hands tokens over.
    function move(address token, address to, uint256 amount) external {
        act(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
    }

    /// act calls and reverts when the callee does or answers false. Tokens that answer nothing are taken at their word.
    function act(address target, bytes memory data) private {
        (bool ok, bytes memory answer) = target.call(data);
        require(ok && (answer.length == 0 || abi.decode(answer, (uint256)) != 0));
    }

    function balance(address token, address holder) private view returns (uint256) {
        (bool ok, bytes memory answer) = token.staticcall(abi.encodeWithSignature("balanceOf(address)", holder));
        return ok && answer.length >= 32 ? abi.decode(answer, (uint256)) : 0;
    }

    function tokenOf(address pool, string memory side) private view returns (address) {
        (bool ok, bytes memory answer) = pool.staticcall(abi.encodeWithSignature(side));
        require(ok && answer.length >= 32);
        return abi.decode(answer, (address));
    }

    /// kindOf is 2 for a pair of constant product, 3 for a pool of concentrated liquidity, 0 for anything else.
    function kindOf(address pool) private view returns (uint256) {
        if (answers(pool, "token0()", 32) && answers(pool, "token1()", 32)) {
            if (answers(pool, "getReserves()", 64)) return 2;
            if (answers(pool, "slot0()", 64) || answers(pool, "globalState()", 64)) return 3;
        }
        return 0;
    }

    function answers(address target, string memory signature, uint256 length) private view returns (bool) {
        (bool ok, bytes memory answer) = target.staticcall(abi.encodeWithSignature(signature));
        return ok && answer.length >= length;
    }
}
