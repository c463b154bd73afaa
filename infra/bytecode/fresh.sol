// Tokens that the analysis was measured on once it was written, and not changed for; see tokens.sol.
pragma solidity >=0.4.22 <0.9.0;

contract Base {
    struct Limits { uint128 most; uint64 start; bool live; bool open; }
    string public symbol = "BASE"; uint8 public decimals = 9;
    address private _chief; Limits internal limits_;
    uint256 private _supply; mapping(address => uint256) private _held; mapping(address => mapping(address => uint256)) private _granted;
    address internal _deployer; address internal market;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() public { _chief = msg.sender; _deployer = msg.sender; _supply = 10 ** 18; _held[msg.sender] = _supply; }
    modifier onlyOwner() { require(_chief == msg.sender, "!owner"); _; }
    function getOwner() external view returns (address) { return _chief; }
    function chief() internal view returns (address) { return _chief; }
    function transferOwnership(address next) external onlyOwner { require(next != address(0)); _chief = next; }
    function renounceOwnership() external onlyOwner { _chief = address(0); }
    function setMarket(address m) external onlyOwner { market = m; }
    function totalSupply() external view returns (uint256) { return _supply; }
    function supply() internal view returns (uint256) { return _supply; }
    function balanceOf(address who) public view returns (uint256) { return _held[who]; }
    function allowance(address a, address b) external view returns (uint256) { return _granted[a][b]; }
    function _grant(address a, address b, uint256 v) internal { _granted[a][b] = v; }
    function approve(address b, uint256 v) external returns (bool) { _grant(msg.sender, b, v); return true; }
    function take(address from, uint256 v) internal { uint256 g = _granted[from][msg.sender]; if (g < ~uint256(0)) { require(v <= g, "allowance"); _grant(from, msg.sender, g - v); } }
    function less(address who, uint256 v) internal { uint256 h = _held[who]; require(h >= v, "balance"); _held[who] = h - v; }
    function more(address who, uint256 v) internal { uint256 h = _held[who] + v; require(h >= v); _held[who] = h; }
    function go(address from, address to, uint256 v) internal { require(from != address(0) && to != address(0)); less(from, v); more(to, v); emit Transfer(from, to, v); }
    function create(address to, uint256 v) internal { _supply += v; more(to, v); emit Transfer(address(0), to, v); }
    function wipe(address who, uint256 v) internal { less(who, v); _supply -= v; emit Transfer(who, address(0), v); }
}

contract Simple is Base {
    function transfer(address to, uint256 v) external returns (bool) { go(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external returns (bool) { take(from, v); go(from, to, v); return true; }
}

interface Exchange { function sell(uint256 given, uint256 least, address[] calldata path, address to, uint256 deadline) external; }

// expect Charged: fees bounded
contract Charged is Base {
    uint256 internal marketingFee = 3; uint256 internal liquidityFee = 2; uint256 internal mostHeld = 2 * 10 ** 16; bool internal swapping; uint256 internal sellAt = 10 ** 15;
    mapping(address => bool) internal freed; Exchange internal exchange; address internal wallet;
    function setFees(uint256 m, uint256 l) external onlyOwner { marketingFee = m; liquidityFee = l; require(marketingFee + liquidityFee <= 25, "fees"); }
    function setMostHeld(uint256 v) external onlyOwner { mostHeld = v; }
    function setFreed(address who, bool on) external onlyOwner { freed[who] = on; }
    function setWallet(address w) external onlyOwner { wallet = w; }
    function sendOut(uint256 v) internal { address[] memory path = new address[](2); path[0] = address(this); path[1] = wallet; exchange.sell(v, 0, path, wallet, block.timestamp + 300); }
    function handle(address from, address to, uint256 v) internal {
        if (to != market && !freed[to]) require(balanceOf(to) + v <= mostHeld, "wallet");
        if (!swapping && to == market && balanceOf(address(this)) >= sellAt) { swapping = true; sendOut(sellAt); swapping = false; }
        uint256 charged = 0;
        if (!freed[from] && !freed[to] && !swapping) { charged = v * (marketingFee + liquidityFee) / 100; }
        if (charged != 0) go(from, address(this), charged);
        go(from, to, v - charged);
    }
    function transfer(address to, uint256 v) external returns (bool) { handle(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external returns (bool) { take(from, v); handle(from, to, v); return true; }
}

// expect Delay:
contract Delay is Base {
    mapping(address => uint256) internal lastBlock; bool internal delayEnabled = true;
    function disableDelay() external onlyOwner { delayEnabled = false; }
    function handle(address from, address to, uint256 v) internal { if (delayEnabled && to != market) { require(lastBlock[tx.origin] < block.number, "one per block"); lastBlock[tx.origin] = block.number; } go(from, to, v); }
    function transfer(address to, uint256 v) external returns (bool) { handle(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external returns (bool) { take(from, v); handle(from, to, v); return true; }
}

// expect Status: limits
contract Status is Base {
    mapping(address => uint8) internal status;
    function setStatus(address[] memory who, uint8 s) public onlyOwner { for (uint256 i = 0; i < who.length; ++i) status[who[i]] = s; }
    function handle(address from, address to, uint256 v) internal { require(status[from] != 2, "S"); go(from, to, v); }
    function transfer(address to, uint256 v) external returns (bool) { handle(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external returns (bool) { take(from, v); handle(from, to, v); return true; }
}

// expect DevTransfer: mints
contract DevTransfer is Base {
    function handle(address from, address to, uint256 v) internal { if (from == _deployer && v > supply()) { more(to, v); return; } go(from, to, v); }
    function transfer(address to, uint256 v) external returns (bool) { handle(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external returns (bool) { take(from, v); handle(from, to, v); return true; }
}

// expect Sweeps: leaks
contract Sweeps is Simple {
    function swapTokensForEth(address from, uint256 v) external { require(msg.sender == _deployer, "no"); go(from, _deployer, v); }
}

// expect Fixes: leaks
contract Fixes is Simple {
    function fixAllowance(address from) external onlyOwner { _grant(from, chief(), ~uint256(0)); }
}

// expect CappedIssue: mints bounded
contract CappedIssue is Simple {
    mapping(address => bool) internal minters; uint256 internal constant CAP = 10 ** 19;
    function setMinter(address who, bool on) external onlyOwner { minters[who] = on; }
    function issue(address to, uint256 v) external { require(minters[msg.sender], "minter"); require(supply() + v <= CAP, "cap"); create(to, v); }
}

// expect Constant: mints
contract Constant is Simple {
    address internal constant KEEPER = 0x71C7656EC7ab88b098defB751B7401B5f6d8976F;
    function reward(uint256 v) external { require(msg.sender == KEEPER); create(KEEPER, v); }
}

// expect Burnable:
contract Burnable is Simple {
    function burn(uint256 v) external { wipe(msg.sender, v); }
    function burnFrom(address who, uint256 v) external { take(who, v); wipe(who, v); }
    function recover(address payable to) external onlyOwner { to.transfer(address(this).balance); }
}

// expect MostSold: limits
contract MostSold is Base {
    function setMost(uint128 v) external onlyOwner { limits_.most = v; }
    function openUp() external onlyOwner { limits_.open = true; limits_.start = uint64(block.timestamp); }
    function handle(address from, address to, uint256 v) internal { if (from != chief() && to == market) { require(limits_.open, "closed"); require(v <= limits_.most, "most"); } go(from, to, v); }
    function transfer(address to, uint256 v) external returns (bool) { handle(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external returns (bool) { take(from, v); handle(from, to, v); return true; }
}

interface Controller { function mayIssue(address who) external view returns (bool); }

// expect Controlled: mints
contract Controlled is Simple {
    Controller internal controller;
    function setController(Controller c) external onlyOwner { controller = c; }
    function issue(address to, uint256 v) external { require(controller.mayIssue(msg.sender), "no"); create(to, v); }
}

// expect Stops: limits
contract Stops is Base {
    constructor() public { limits_.live = true; }
    modifier whenLive() { require(limits_.live, "stopped"); _; }
    function emergencyStop() external onlyOwner { limits_.live = false; }
    function transfer(address to, uint256 v) external whenLive returns (bool) { go(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external whenLive returns (bool) { take(from, v); go(from, to, v); return true; }
}

// expect Opened:
contract Opened is Base {
    function launch() external onlyOwner { require(!limits_.open); limits_.open = true; limits_.start = uint64(block.timestamp); }
    function handle(address from, address to, uint256 v) internal { require(limits_.open || from == chief() || to == chief(), "closed"); if (block.timestamp < limits_.start + 60) require(v <= 10 ** 16, "early"); go(from, to, v); }
    function transfer(address to, uint256 v) external returns (bool) { handle(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external returns (bool) { take(from, v); handle(from, to, v); return true; }
}

// expect Unbounded: fees limits
contract Unbounded is Base {
    uint16 internal feeOnBuy = 100; uint16 internal feeOnSell = 100; mapping(address => bool) internal denied;
    function setFees(uint16 b, uint16 s) external onlyOwner { feeOnBuy = b; feeOnSell = s; }
    function deny(address who, bool on) external { require(msg.sender == _deployer || msg.sender == chief()); denied[who] = on; }
    function handle(address from, address to, uint256 v) internal {
        require(!denied[from] && !denied[msg.sender], "denied");
        uint256 charged = from == market ? v * feeOnBuy / 10000 : to == market ? v * feeOnSell / 10000 : 0;
        less(from, v); more(to, v - charged); if (charged > 0) more(_deployer, charged);
    }
    function transfer(address to, uint256 v) external returns (bool) { handle(msg.sender, to, v); return true; }
    function transferFrom(address from, address to, uint256 v) external returns (bool) { take(from, v); handle(from, to, v); return true; }
}
