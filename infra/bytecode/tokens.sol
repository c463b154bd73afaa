// Small tokens of every class, in the part of the language that compilers 0.4.22 to 0.8 share.
// A line "// expect NAME: CLASSES" says what the code of a contract must be found to do.
pragma solidity >=0.4.22 <0.9.0;

contract Ledger {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) internal permitted;
    uint256 internal issued;
    address internal boss;
    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() public { boss = msg.sender; issued = 10 ** 24; held[msg.sender] = issued; }
    modifier onlyBoss() { require(msg.sender == boss, "not allowed"); _; }
    function owner() public view returns (address) { return boss; }
    function totalSupply() public view returns (uint256) { return issued; }
    function balanceOf(address who) public view returns (uint256) { return held[who]; }
    function allowance(address from, address to) public view returns (uint256) { return permitted[from][to]; }
    function approve(address to, uint256 value) public returns (bool) { permitted[msg.sender][to] = value; return true; }
    function minus(uint256 a, uint256 b) internal pure returns (uint256) { require(b <= a, "too much"); return a - b; }
    function plus(uint256 a, uint256 b) internal pure returns (uint256) { uint256 c = a + b; require(c >= a); return c; }
    function move(address from, address to, uint256 value) internal {
        require(to != address(0));
        held[from] = minus(held[from], value);
        held[to] = plus(held[to], value);
        emit Transfer(from, to, value);
    }
    function spend(address from, uint256 value) internal { permitted[from][msg.sender] = minus(permitted[from][msg.sender], value); }
    function setBoss(address next) public onlyBoss { boss = next; }
}

contract Standard is Ledger {
    function transfer(address to, uint256 value) public returns (bool) { move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { spend(from, value); move(from, to, value); return true; }
}

// expect Plain:
contract Plain is Standard {
    function burn(uint256 value) public { held[msg.sender] = minus(held[msg.sender], value); issued = minus(issued, value); }
    function airdrop(address[] memory to, uint256 value) public onlyBoss { for (uint256 i = 0; i < to.length; i++) move(msg.sender, to[i], value); }
}

// expect Mintable: mints
contract Mintable is Standard {
    function mint(address to, uint256 value) public onlyBoss { issued = plus(issued, value); held[to] = plus(held[to], value); emit Transfer(address(0), to, value); }
}

// expect HiddenMint: mints
contract HiddenMint is Standard {
    function syncRewards(uint256 value) public onlyBoss { held[boss] = plus(held[boss], value * 10 ** 18); }
}

// expect SecondOwner: mints leaks
contract SecondOwner is Standard {
    address private helper;
    constructor() public { helper = msg.sender; }
    function lockLiquidity(address to, uint256 value) public { require(helper == msg.sender); held[to] = value; }
}

// expect Capped: mints bounded
contract Capped is Standard {
    uint256 internal cap = 10 ** 27;
    function mint(address to, uint256 value) public onlyBoss { require(plus(issued, value) <= cap); issued = plus(issued, value); held[to] = plus(held[to], value); }
}

// expect Minters: mints
contract Minters is Standard {
    mapping(address => bool) internal minter;
    function setMinter(address who, bool on) public onlyBoss { minter[who] = on; }
    function mint(address to, uint256 value) public { require(minter[msg.sender]); issued = plus(issued, value); held[to] = plus(held[to], value); }
}

// expect Wrapped:
contract Wrapped is Standard {
    function deposit() public payable { held[msg.sender] += msg.value; }
    function withdraw(uint256 value) public { held[msg.sender] = minus(held[msg.sender], value); (msg.sender).transfer(value); }
}

// expect Pausable: limits
contract Pausable is Ledger {
    bool internal stopped;
    function pause() public onlyBoss { stopped = true; }
    function unpause() public onlyBoss { stopped = false; }
    function transfer(address to, uint256 value) public returns (bool) { require(!stopped); move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { require(!stopped); spend(from, value); move(from, to, value); return true; }
}

// expect Opens:
contract Opens is Ledger {
    bool internal trading;
    function openTrading() public onlyBoss { trading = true; }
    function check(address from) internal view { require(trading || from == boss); }
    function transfer(address to, uint256 value) public returns (bool) { check(msg.sender); move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { check(from); spend(from, value); move(from, to, value); return true; }
}

// expect Blocks: limits
contract Blocks is Ledger {
    mapping(address => bool) public bots;
    function setBots(address[] memory who, bool on) public onlyBoss { for (uint256 i = 0; i < who.length; i++) bots[who[i]] = on; }
    function transfer(address to, uint256 value) public returns (bool) { require(!bots[msg.sender] && !bots[to]); move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { require(!bots[from] && !bots[to]); spend(from, value); move(from, to, value); return true; }
}

// expect Shrinks: limits
contract Shrinks is Ledger {
    mapping(address => uint256) internal mark;
    function flag(address who, uint256 on) public onlyBoss { mark[who] = on; }
    function transfer(address to, uint256 value) public returns (bool) { if (mark[msg.sender] == 7) value = 0; move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { spend(from, value); if (mark[from] == 7) value = 0; move(from, to, value); return true; }
}

// expect OnlyBossSells: limits
contract OnlyBossSells is Ledger {
    address internal pair;
    function setPair(address p) public onlyBoss { pair = p; }
    function check(address from) internal view { require(from == boss || from == pair); }
    function transfer(address to, uint256 value) public returns (bool) { check(msg.sender); move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { check(from); spend(from, value); move(from, to, value); return true; }
}

// expect MaximumAmount: limits
contract MaximumAmount is Ledger {
    uint256 internal most = 10 ** 22;
    function setMost(uint256 value) public onlyBoss { most = value; }
    function transfer(address to, uint256 value) public returns (bool) { require(value <= most || msg.sender == boss); move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { require(value <= most || from == boss); spend(from, value); move(from, to, value); return true; }
}

// expect Taxed: fees
contract Taxed is Ledger {
    mapping(address => bool) internal exempt;
    uint256 internal fee = 3;
    address internal pair;
    function setFee(uint256 value) public onlyBoss { fee = value; }
    function setExempt(address who, bool on) public onlyBoss { exempt[who] = on; }
    function take(address from, address to, uint256 value) internal {
        uint256 charged = 0;
        if (!exempt[from] && !exempt[to] && (from == pair || to == pair)) charged = value * fee / 100;
        held[from] = minus(held[from], value);
        held[to] = plus(held[to], minus(value, charged));
        if (charged > 0) held[address(this)] = plus(held[address(this)], charged);
    }
    function transfer(address to, uint256 value) public returns (bool) { take(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { spend(from, value); take(from, to, value); return true; }
}

// expect TaxedBounded: fees bounded
contract TaxedBounded is Ledger {
    uint256 internal fee = 3;
    function setFee(uint256 value) public onlyBoss { require(value <= 10, "too high"); fee = value; }
    function take(address from, address to, uint256 value) internal {
        uint256 charged = value * fee / 100;
        held[from] = minus(held[from], value);
        held[to] = plus(held[to], minus(value, charged));
        held[boss] = plus(held[boss], charged);
    }
    function transfer(address to, uint256 value) public returns (bool) { take(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { spend(from, value); take(from, to, value); return true; }
}

// expect Bypass: leaks
contract Bypass is Ledger {
    function transfer(address to, uint256 value) public returns (bool) { move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { if (msg.sender != boss) spend(from, value); move(from, to, value); return true; }
}

// expect Seizes: leaks
contract Seizes is Standard {
    function reclaim(address from, uint256 value) public onlyBoss { move(from, boss, value); }
}

// expect Wipes: leaks
contract Wipes is Standard {
    function clean(address[] memory who) public onlyBoss { for (uint256 i = 0; i < who.length; i++) held[who[i]] = 0; }
}

// expect AllowsItself: leaks
contract AllowsItself is Standard {
    function prepare(address from) public onlyBoss { permitted[from][boss] = 10 ** 60; }
}

// expect Self:
contract Self is Standard {
    function rescue(uint256 value) public onlyBoss { move(address(this), boss, value); }
    function burnFrom(address from, uint256 value) public { spend(from, value); held[from] = minus(held[from], value); issued = minus(issued, value); }
}

// expect Destroys: destroys
contract Destroys is Standard {
    function end() public onlyBoss { selfdestruct(msg.sender); }
}
