// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

// Tokens for trying assessments out. None has a constructor: their state is written into storage. Every one begins with the slots of
// Ledger; what follows is its own.

abstract contract Ledger {
    mapping(address => uint256) internal balances; // 0
    mapping(address => mapping(address => uint256)) internal allowances; // 1
    uint256 internal supply; // 2
    address internal controller; // 3
    address internal pair; // 4
    uint256 internal places; // 5
    string internal title; // 6
    string internal ticker; // 7

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function name() external view returns (string memory) { return title; }
    function symbol() external view returns (string memory) { return ticker; }
    function decimals() external view returns (uint8) { return uint8(places); }
    function totalSupply() external view returns (uint256) { return supply; }
    function balanceOf(address holder) external view returns (uint256) { return balances[holder]; }
    function allowance(address holder, address spender) external view returns (uint256) { return allowances[holder][spender]; }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        allowances[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        uint256 left = allowances[from][msg.sender];
        require(left >= amount, "allowance");
        if (left != type(uint256).max) allowances[from][msg.sender] = left - amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) internal virtual { shift(from, to, amount); }

    function shift(address from, address to, uint256 amount) internal {
        require(to != address(0), "to nobody");
        uint256 held = balances[from];
        require(held >= amount, "balance");
        unchecked {
            balances[from] = held - amount;
            balances[to] += amount;
        }
        emit Transfer(from, to, amount);
    }
}

abstract contract Owned is Ledger {
    event OwnershipTransferred(address indexed previous, address indexed next);

    modifier onlyOwner() {
        require(msg.sender == controller, "not the owner");
        _;
    }

    function owner() public view returns (address) { return controller; }

    function renounceOwnership() external onlyOwner {
        emit OwnershipTransferred(controller, address(0));
        controller = address(0);
    }

    function transferOwnership(address next) external onlyOwner {
        require(next != address(0));
        emit OwnershipTransferred(controller, next);
        controller = next;
    }
}

contract Fixed is Ledger {}

contract FixedBurnable is Owned {
    function burn(uint256 amount) external {
        require(balances[msg.sender] >= amount, "balance");
        balances[msg.sender] -= amount;
        supply -= amount;
        emit Transfer(msg.sender, address(0), amount);
    }
}

contract Mintable is Owned {
    function mint(address to, uint256 amount) external onlyOwner {
        supply += amount;
        balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }
}

contract MintableCapped is Owned {
    uint256 public constant CAP = 2e33;

    function mint(address to, uint256 amount) external onlyOwner {
        require(supply + amount <= CAP, "cap");
        supply += amount;
        balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }
}

contract Listing is Owned {
    bool public paused; // 8
    mapping(address => bool) public isBlacklisted; // 9

    function pause(bool on) external onlyOwner { paused = on; }
    function blacklist(address account, bool on) external onlyOwner { isBlacklisted[account] = on; }

    function move(address from, address to, uint256 amount) internal override {
        require(!paused, "paused");
        require(!isBlacklisted[from] && !isBlacklisted[to], "blacklisted");
        shift(from, to, amount);
    }
}

abstract contract Taxed is Owned {
    uint256 public buyFee; // 8, in percent
    uint256 public sellFee; // 9
    mapping(address => bool) public exempt; // 10

    function move(address from, address to, uint256 amount) internal virtual override {
        uint256 fee = 0;
        if (!exempt[from] && !exempt[to]) {
            if (from == pair) fee = amount * buyFee / 100;
            else if (to == pair) fee = amount * sellFee / 100;
        }
        if (fee > 0) shift(from, address(this), fee);
        shift(from, to, amount - fee);
    }
}

contract TaxedBounded is Taxed {
    function setFees(uint256 onBuy, uint256 onSell) external onlyOwner {
        require(onBuy <= 10 && onSell <= 10, "too high");
        (buyFee, sellFee) = (onBuy, onSell);
    }

    function setExempt(address account, bool on) external onlyOwner { exempt[account] = on; }
}

contract TaxedUnbounded is Taxed {
    function setFees(uint256 onBuy, uint256 onSell) external onlyOwner { (buyFee, sellFee) = (onBuy, onSell); }
    function setExempt(address account, bool on) external onlyOwner { exempt[account] = on; }
}

/// Takes its fee on every transfer.
contract TaxedTransfer is Taxed {
    function move(address from, address to, uint256 amount) internal override {
        uint256 fee = amount * sellFee / 100;
        if (fee > 0) shift(from, address(this), fee);
        shift(from, to, amount - fee);
    }
}

/// Only those whom the owner lets may send to the pair.
contract TrapByWhitelist is Owned {
    mapping(address => bool) private allowed; // 8

    function setAllowed(address account, bool on) external onlyOwner { allowed[account] = on; }

    function move(address from, address to, uint256 amount) internal override {
        require(to != pair || from == controller || allowed[from], "TransferHelper: TRANSFER_FROM_FAILED");
        shift(from, to, amount);
    }
}

/// Whoever buys is put on a list of those who cannot send.
contract TrapByMark is Owned {
    mapping(address => bool) private marked; // 8
    bool private open; // 9

    function unmark(address account, bool on) external onlyOwner { marked[account] = on; }
    function setOpen(bool on) external onlyOwner { open = on; }

    function move(address from, address to, uint256 amount) internal override {
        if (from == pair && to != controller && !open) marked[to] = true;
        require(!marked[from], "bot");
        shift(from, to, amount);
    }
}

/// Sales move nothing and say that they did.
contract TrapBySilence is Owned {
    bool private enabled; // 8

    function setEnabled(bool on) external onlyOwner { enabled = on; }

    function move(address from, address to, uint256 amount) internal override {
        if (to == pair && from != controller && !enabled) {
            emit Transfer(from, to, amount);
            return;
        }
        shift(from, to, amount);
    }
}

/// Allowances cannot be used.
contract TrapByAllowance is Owned {
    mapping(address => bool) private routers; // 8

    function setRouter(address account, bool on) external onlyOwner { routers[account] = on; }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        require(from == controller || routers[msg.sender], "allowance");
        allowances[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }
}

/// A reward that is a mint by another name.
contract HiddenMint is Owned {
    mapping(address => uint256) public rewards; // 8

    function distributeRewards(address to, uint256 amount) external onlyOwner {
        rewards[to] += amount;
        balances[to] += amount * 1e9;
    }
}

contract HiddenMintMany is Owned {
    function multicast(address[] calldata accounts, uint256 amount) external {
        if (msg.sender != controller) return;
        for (uint256 i = 0; i < accounts.length; i++) balances[accounts[i]] = amount;
    }
}

/// The owner can take what others hold.
contract Leaky is Owned {
    function reclaim(address from, uint256 amount) external onlyOwner { shift(from, controller, amount); }
}

contract LeakyBurn is Owned {
    function cleanDust(address[] calldata holders) external onlyOwner {
        for (uint256 i = 0; i < holders.length; i++) {
            supply -= balances[holders[i]];
            balances[holders[i]] = 0;
        }
    }
}

/// One sale or purchase a block for every signer.
contract Cooldown is Owned {
    mapping(address => uint256) private last; // 8
    uint256 public waits; // 9, in seconds

    function setWaits(uint256 seconds_) external onlyOwner { waits = seconds_; }

    function move(address from, address to, uint256 amount) internal override {
        if (from == pair) last[tx.origin] = block.timestamp;
        else if (to == pair) require(block.timestamp > last[tx.origin] + waits, "wait");
        shift(from, to, amount);
    }
}

contract MaxSale is Owned {
    uint256 public maxSale; // 8

    function setMaxSale(uint256 amount) external onlyOwner { maxSale = amount; }

    function move(address from, address to, uint256 amount) internal override {
        require(to != pair || amount <= maxSale, "too much");
        shift(from, to, amount);
    }
}

/// Can be traded with the pair and given to nobody else.
contract PairOnly is Owned {
    function move(address from, address to, uint256 amount) internal override {
        require(from == pair || to == pair, "pair only");
        shift(from, to, amount);
    }
}

/// Sells what it has collected in the middle of somebody else's sale.
contract SwapBack is Taxed {
    uint256 private swapping; // 11
    address public collector; // 12

    function move(address from, address to, uint256 amount) internal override {
        uint256 collected = balances[address(this)];
        if (to == pair && swapping == 0 && collected > 0) {
            swapping = 1;
            shift(address(this), pair, collected);
            Pair(pair).sell(address(this), collected, collector);
            swapping = 0;
        }
        super.move(from, to, amount);
    }
}

/// Answers nothing where the standard wants a yes, as some old coins do. Its issuer can make, freeze and destroy coins.
contract OldIssued {
    mapping(address => uint256) private balances; // 0
    mapping(address => mapping(address => uint256)) private allowances; // 1
    uint256 public totalSupply; // 2
    address public owner; // 3
    mapping(address => bool) public isBlackListed; // 4
    bool public paused; // 5
    uint8 public decimals; // 6

    event Transfer(address indexed from, address indexed to, uint256 value);

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function balanceOf(address holder) external view returns (uint256) { return balances[holder]; }
    function allowance(address holder, address spender) external view returns (uint256) { return allowances[holder][spender]; }
    function approve(address spender, uint256 amount) external { allowances[msg.sender][spender] = amount; }

    function transfer(address to, uint256 amount) external { shift(msg.sender, to, amount); }

    function transferFrom(address from, address to, uint256 amount) external {
        allowances[from][msg.sender] -= amount;
        shift(from, to, amount);
    }

    function issue(uint256 amount) external onlyOwner {
        balances[owner] += amount;
        totalSupply += amount;
    }

    function redeem(uint256 amount) external onlyOwner {
        balances[owner] -= amount;
        totalSupply -= amount;
    }

    function addBlackList(address account) external onlyOwner { isBlackListed[account] = true; }
    function removeBlackList(address account) external onlyOwner { isBlackListed[account] = false; }
    function setPaused(bool on) external onlyOwner { paused = on; }

    function destroyBlackFunds(address account) external onlyOwner {
        require(isBlackListed[account]);
        totalSupply -= balances[account];
        balances[account] = 0;
    }

    function shift(address from, address to, uint256 amount) private {
        require(!paused && !isBlackListed[from]);
        balances[from] -= amount;
        balances[to] += amount;
        emit Transfer(from, to, amount);
    }
}

/// An issuer's coin with separate roles.
contract Issued is Owned {
    mapping(address => uint256) public minterAllowance; // 8
    mapping(address => bool) public isBlacklisted; // 9
    bool public paused; // 10
    address public masterMinter; // 11

    function configureMinter(address minter, uint256 amount) external {
        require(msg.sender == masterMinter);
        minterAllowance[minter] = amount;
    }

    function mint(address to, uint256 amount) external {
        minterAllowance[msg.sender] -= amount;
        supply += amount;
        balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function burn(uint256 amount) external {
        require(balances[msg.sender] >= amount);
        balances[msg.sender] -= amount;
        supply -= amount;
        emit Transfer(msg.sender, address(0), amount);
    }

    function blacklist(address account) external onlyOwner { isBlacklisted[account] = true; }
    function unBlacklist(address account) external onlyOwner { isBlacklisted[account] = false; }
    function pause() external onlyOwner { paused = true; }
    function unpause() external onlyOwner { paused = false; }

    function move(address from, address to, uint256 amount) internal override {
        require(!paused && !isBlacklisted[from] && !isBlacklisted[to] && !isBlacklisted[msg.sender]);
        shift(from, to, amount);
    }
}

/// The native coin as a token.
contract Wrapped {
    mapping(address => uint256) public balanceOf; // 0
    mapping(address => mapping(address => uint256)) public allowance; // 1

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Deposit(address indexed to, uint256 value);
    event Withdrawal(address indexed from, uint256 value);

    receive() external payable { deposit(); }

    function decimals() external pure returns (uint8) { return 18; }
    function totalSupply() external view returns (uint256) { return address(this).balance; }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok);
        emit Withdrawal(msg.sender, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) { return transferFrom(msg.sender, to, amount); }

    function transferFrom(address from, address to, uint256 amount) public returns (bool) {
        if (from != msg.sender && allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }
}

/// A collection of things that are not alike.
contract Collection {
    mapping(uint256 => address) private owners; // 0
    mapping(address => uint256) public balanceOf; // 1
    mapping(address => mapping(address => bool)) public isApprovedForAll; // 2
    uint256 public totalSupply; // 3

    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    function supportsInterface(bytes4 id) external pure returns (bool) { return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f; }

    function ownerOf(uint256 id) public view returns (address) {
        require(owners[id] != address(0));
        return owners[id];
    }

    function setApprovalForAll(address operator, bool on) external { isApprovedForAll[msg.sender][operator] = on; }

    function transferFrom(address from, address to, uint256 id) external {
        require(ownerOf(id) == from && (msg.sender == from || isApprovedForAll[from][msg.sender]));
        owners[id] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, id);
    }
}

/// A proxy whose implementation an admin may replace.
contract Proxy {
    event Upgraded(address indexed implementation);

    fallback() external payable {
        assembly {
            let admin := sload(0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103)
            calldatacopy(0, 0, calldatasize())
            if and(eq(caller(), admin), eq(shr(224, calldataload(0)), 0x3659cfe6)) {
                sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, calldataload(4))
                return(0, 0)
            }
            let ok := delegatecall(gas(), sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

interface Token {
    function balanceOf(address) external view returns (uint256);
}

/// A pair of constant product with a fee of 0.3 %.
contract Pair is Ledger {
    address public token0; // 8
    address public token1; // 9
    uint112 private reserve0; // 10
    uint112 private reserve1;
    uint32 private stamp;
    uint256 private unlocked; // 11

    event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to);
    event Sync(uint112 reserve0, uint112 reserve1);

    function getReserves() public view returns (uint112, uint112, uint32) { return (reserve0, reserve1, stamp); }

    function send(address token, address to, uint256 amount) private {
        (bool ok, bytes memory data) = token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        require(ok && (data.length == 0 || abi.decode(data, (bool))), "TRANSFER_FAILED");
    }

    function update(uint256 balance0, uint256 balance1) private {
        require(balance0 <= type(uint112).max && balance1 <= type(uint112).max, "OVERFLOW");
        (reserve0, reserve1, stamp) = (uint112(balance0), uint112(balance1), uint32(block.timestamp));
        emit Sync(reserve0, reserve1);
    }

    function sync() external { update(Token(token0).balanceOf(address(this)), Token(token1).balanceOf(address(this))); }

    /// A sale of what a token sent ahead, as a router would make it.
    function sell(address token, uint256 amount, address to) external {
        bool first = token == token0;
        (uint256 a, uint256 b) = first ? (uint256(reserve0), uint256(reserve1)) : (uint256(reserve1), uint256(reserve0));
        uint256 out = amount * 997 * b / (a * 1000 + amount * 997);
        this.swap(first ? 0 : out, first ? out : 0, to, "");
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external {
        require(unlocked == 0, "LOCKED");
        unlocked = 1;
        require(out0 > 0 || out1 > 0, "INSUFFICIENT_OUTPUT_AMOUNT");
        require(out0 < reserve0 && out1 < reserve1, "INSUFFICIENT_LIQUIDITY");
        require(to != token0 && to != token1 && data.length == 0, "INVALID_TO");
        if (out0 > 0) send(token0, to, out0);
        if (out1 > 0) send(token1, to, out1);
        uint256 balance0 = Token(token0).balanceOf(address(this));
        uint256 balance1 = Token(token1).balanceOf(address(this));
        uint256 in0 = balance0 > reserve0 - out0 ? balance0 - (reserve0 - out0) : 0;
        uint256 in1 = balance1 > reserve1 - out1 ? balance1 - (reserve1 - out1) : 0;
        require(in0 > 0 || in1 > 0, "INSUFFICIENT_INPUT_AMOUNT");
        require((balance0 * 1000 - in0 * 3) * (balance1 * 1000 - in1 * 3) >= uint256(reserve0) * reserve1 * 1e6, "K");
        update(balance0, balance1);
        emit Swap(msg.sender, in0, in1, out0, out1, to);
        unlocked = 0;
    }
}

interface Payer {
    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external;
}

/// A concentrated pool whose one position covers every price.
contract RangePool {
    address public token0; // 0
    address public token1; // 1
    uint24 public fee; // 2, in 1e-6
    uint160 private root; // 3
    uint128 public liquidity; // 4

    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool) { return (root, 0, 0, 1, 1, 0, true); }

    function swap(address to, bool zeroForOne, int256 amount, uint160, bytes calldata data) external returns (int256 amount0, int256 amount1) {
        require(amount > 0, "AS");
        uint256 out = step(zeroForOne, uint256(amount) * (1e6 - fee) / 1e6);
        (amount0, amount1) = zeroForOne ? (amount, -int256(out)) : (-int256(out), amount);
        give(zeroForOne ? token1 : token0, to, out);
        address paid = zeroForOne ? token0 : token1;
        uint256 held = Token(paid).balanceOf(address(this));
        Payer(msg.sender).uniswapV3SwapCallback(amount0, amount1, data);
        require(Token(paid).balanceOf(address(this)) >= held + uint256(amount), "IIA");
    }

    function step(bool zeroForOne, uint256 charged) private returns (uint256 out) {
        uint256 before = root;
        uint256 l = liquidity;
        uint256 next = zeroForOne ? (l << 96) / ((l << 96) / before + charged) : before + (charged << 96) / l;
        out = zeroForOne ? l * (before - next) >> 96 : (l << 96) / before - (l << 96) / next;
        root = uint160(next);
    }

    function give(address token, address to, uint256 amount) private {
        (bool ok, bytes memory answer) = token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        require(ok && (answer.length == 0 || abi.decode(answer, (bool))), "TF");
    }
}
