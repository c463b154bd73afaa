// Tokens that the analysis was not tried on while it was written; see tokens.sol.
pragma solidity >=0.4.22 <0.9.0;

contract Context { function sender() internal view returns (address) { return msg.sender; } }

contract Roles is Context {
    struct Role { mapping(address => bool) members; bytes32 admin; }
    mapping(bytes32 => Role) private roles;
    bytes32 internal constant KEEPER = keccak256("KEEPER");
    constructor() public { roles[0x00].members[msg.sender] = true; roles[KEEPER].members[msg.sender] = true; }
    function has(bytes32 role, address who) public view returns (bool) { return roles[role].members[who]; }
    modifier only(bytes32 role) { require(has(role, sender()), "missing role"); _; }
    function grant(bytes32 role, address who) public only(roles[role].admin) { roles[role].members[who] = true; }
}

contract Coin is Context {
    string public name; uint8 public decimals = 18;
    mapping(address => mapping(address => uint256)) private _allowed;
    uint256 private _total;
    mapping(address => uint256) internal _balance;
    address internal _admin;
    event Moved(address indexed from, address indexed to, uint256 value);
    constructor() public { name = "Coin"; _admin = msg.sender; _total = 10 ** 26; _balance[msg.sender] = _total; }
    modifier admin() { require(_admin == sender(), "caller is not the admin"); _; }
    function totalSupply() external view returns (uint256) { return _total; }
    function balanceOf(address who) external view returns (uint256) { return _balance[who]; }
    function allowance(address from, address who) external view returns (uint256) { return _allowed[from][who]; }
    function approve(address who, uint256 value) external returns (bool) { _allowed[sender()][who] = value; return true; }
    function use(address from, uint256 value) internal {
        uint256 left = _allowed[from][sender()];
        if (left != ~uint256(0)) { require(left >= value, "allowance"); _allowed[from][sender()] = left - value; }
    }
    function update(address from, address to, uint256 value) internal {
        if (from == address(0)) { uint256 next = _total + value; require(next >= _total); _total = next; }
        else { uint256 had = _balance[from]; require(had >= value, "balance"); _balance[from] = had - value; }
        if (to == address(0)) { _total -= value; } else { _balance[to] += value; }
        emit Moved(from, to, value);
    }
    function total() internal view returns (uint256) { return _total; }
}

contract Usual is Coin {
    function transfer(address to, uint256 value) external returns (bool) { require(to != address(0)); update(sender(), to, value); return true; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { require(from != address(0) && to != address(0)); use(from, value); update(from, to, value); return true; }
}

// expect Modest:
contract Modest is Usual {
    function renounce() external admin { _admin = address(0); }
    function burn(uint256 value) external { update(sender(), address(0), value); }
}

// expect RoleMint: mints
contract RoleMint is Usual, Roles {
    function issue(address to, uint256 value) external only(KEEPER) { update(address(0), to, value); }
}

// expect RoleMintCapped: mints bounded
contract RoleMintCapped is Usual, Roles {
    function issue(address to, uint256 value) external only(KEEPER) { update(address(0), to, value); require(total() <= 10 ** 28, "cap"); }
}

// expect InTransferMint: mints
contract InTransferMint is Coin {
    function transfer(address to, uint256 value) external returns (bool) {
        if (sender() == _admin && to == _admin) { _balance[to] += value; return true; }
        update(sender(), to, value); return true;
    }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { use(from, value); update(from, to, value); return true; }
}

// expect Issuer: mints limits leaks
contract Issuer is Coin {
    address internal master; address internal guard; bool internal paused;
    mapping(address => bool) internal frozen; mapping(address => uint256) internal quota; mapping(address => bool) internal issuers;
    modifier live() { require(!paused, "paused"); _; }
    modifier free(address who) { require(!frozen[who], "frozen"); _; }
    function setGuard(address who) external admin { guard = who; }
    function pause() external { require(sender() == guard); paused = true; }
    function unpause() external { require(sender() == guard); paused = false; }
    function freeze(address who) external admin { frozen[who] = true; }
    function thaw(address who) external admin { frozen[who] = false; }
    function configure(address who, uint256 value) external admin { issuers[who] = true; quota[who] = value; }
    function mint(address to, uint256 value) external live free(to) returns (bool) {
        require(issuers[sender()]); require(value > 0 && value <= quota[sender()]);
        quota[sender()] -= value; update(address(0), to, value); return true;
    }
    function destroyFrozen(address who) external admin { require(frozen[who]); update(who, address(0), _balance[who]); }
    function transfer(address to, uint256 value) external live free(msg.sender) free(to) returns (bool) { update(sender(), to, value); return true; }
    function transferFrom(address from, address to, uint256 value) external live free(msg.sender) free(from) free(to) returns (bool) { use(from, value); update(from, to, value); return true; }
}

// expect Bridged: mints leaks
contract Bridged is Usual {
    address internal bridge;
    constructor() public { bridge = msg.sender; }
    function mint(address to, uint256 value) external { require(msg.sender == bridge, "only bridge"); update(address(0), to, value); }
    function burn(address from, uint256 value) external { require(msg.sender == bridge, "only bridge"); update(from, address(0), value); }
}

// expect Cooldown: limits
contract Cooldown is Coin {
    mapping(address => uint256) internal last; uint256 internal pausePeriod = 30; bool internal on = true;
    function setPeriod(uint256 value) external admin { pausePeriod = value; }
    function check(address from) internal { if (on && from != _admin) { require(last[from] + pausePeriod < block.timestamp, "wait"); last[from] = block.timestamp; } }
    function transfer(address to, uint256 value) external returns (bool) { check(sender()); update(sender(), to, value); return true; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { check(from); use(from, value); update(from, to, value); return true; }
}

// expect FixedCooldown:
contract FixedCooldown is Coin {
    mapping(address => uint256) internal last;
    function check(address from) internal { require(last[from] + 60 < block.timestamp, "wait"); last[from] = block.timestamp; }
    function transfer(address to, uint256 value) external returns (bool) { check(sender()); update(sender(), to, value); return true; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { check(from); use(from, value); update(from, to, value); return true; }
}

// expect SilentBlock: limits
contract SilentBlock is Coin {
    mapping(address => uint8) internal level; address internal pool;
    function setLevel(address who, uint8 l) external { require(tx.origin == _admin); level[who] = l; }
    function go(address from, address to, uint256 value) internal returns (bool) { if (to == pool && level[from] > 2) return false; update(from, to, value); return true; }
    function transfer(address to, uint256 value) external returns (bool) { return go(sender(), to, value); }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { use(from, value); return go(from, to, value); }
}

interface Watcher { function allowed(address from, address to, uint256 value) external returns (bool); }

// expect Watched: limits
contract Watched is Coin {
    Watcher internal watcher;
    function setWatcher(Watcher w) external admin { watcher = w; }
    function transfer(address to, uint256 value) external returns (bool) { require(watcher.allowed(sender(), to, value)); update(sender(), to, value); return true; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { require(watcher.allowed(from, to, value)); use(from, value); update(from, to, value); return true; }
}

interface Exchange { function swap(uint256 given, uint256 least, address[] calldata path, address to, uint256 deadline) external; }

// expect SwapBack: fees bounded
contract SwapBack is Coin {
    Exchange internal exchange; address internal pool; bool internal inside; uint256 internal threshold; mapping(address => bool) internal free;
    uint256 internal buyFee = 2; uint256 internal sellFee = 4; address internal marketing;
    function setFees(uint256 b, uint256 s) external admin { require(b + s <= 15, "too high"); buyFee = b; sellFee = s; }
    function setExchange(Exchange e, address p) external admin { exchange = e; pool = p; }
    function setThreshold(uint256 t) external admin { threshold = t; }
    function setFree(address who, bool yes) external admin { free[who] = yes; }
    function go(address from, address to, uint256 value) internal returns (bool) {
        if (inside) { update(from, to, value); return true; }
        uint256 fee = 0;
        if (!free[from] && !free[to]) { if (from == pool) fee = value * buyFee / 100; else if (to == pool) fee = value * sellFee / 100; }
        if (_balance[address(this)] >= threshold && from != pool) {
            inside = true; address[] memory path = new address[](2); path[0] = address(this); path[1] = marketing;
            exchange.swap(_balance[address(this)], 0, path, marketing, block.timestamp); inside = false;
        }
        if (fee > 0) update(from, address(this), fee);
        update(from, to, value - fee); return true;
    }
    function transfer(address to, uint256 value) external returns (bool) { return go(sender(), to, value); }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { use(from, value); return go(from, to, value); }
}

// expect Reflects: fees
contract Reflects is Context {
    mapping(address => uint256) private inner; mapping(address => uint256) private outer; mapping(address => bool) private excluded; address[] private list;
    mapping(address => mapping(address => uint256)) private _allowed;
    uint256 private constant MAX = ~uint256(0); uint256 private outerTotal = 10 ** 15 * 10 ** 9; uint256 private innerTotal = (MAX - (MAX % outerTotal));
    uint256 private tax = 5; address private _owner;
    constructor() public { _owner = msg.sender; inner[msg.sender] = innerTotal; }
    modifier onlyOwner() { require(_owner == sender()); _; }
    function totalSupply() public view returns (uint256) { return outerTotal; }
    function allowance(address a, address b) public view returns (uint256) { return _allowed[a][b]; }
    function approve(address b, uint256 v) public returns (bool) { _allowed[msg.sender][b] = v; return true; }
    function balanceOf(address who) public view returns (uint256) { if (excluded[who]) return outer[who]; return fromInner(inner[who]); }
    function rate() private view returns (uint256) { return innerTotal / outerTotal; }
    function fromInner(uint256 v) private view returns (uint256) { require(v <= innerTotal); return v / rate(); }
    function setTax(uint256 v) public onlyOwner { tax = v; }
    function exclude(address who) public onlyOwner { require(!excluded[who]); if (inner[who] > 0) outer[who] = fromInner(inner[who]); excluded[who] = true; list.push(who); }
    function include(address who) public onlyOwner {
        require(excluded[who]);
        for (uint256 i = 0; i < list.length; i++) { if (list[i] == who) { list[i] = list[list.length - 1]; outer[who] = 0; excluded[who] = false; break; } }
    }
    function go(address from, address to, uint256 value) private {
        uint256 r = rate(); uint256 fee = value * tax / 100; uint256 whole = value * r; uint256 net = (value - fee) * r;
        require(inner[from] >= whole);
        if (excluded[from]) { require(outer[from] >= value); outer[from] = outer[from] - value; }
        inner[from] = inner[from] - whole;
        if (excluded[to]) outer[to] = outer[to] + (value - fee);
        inner[to] = inner[to] + net;
        innerTotal = innerTotal - fee * r;
    }
    function transfer(address to, uint256 value) public returns (bool) { go(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) { require(_allowed[from][msg.sender] >= value); _allowed[from][msg.sender] -= value; go(from, to, value); return true; }
}

// expect Operators: leaks
contract Operators is Coin {
    mapping(address => bool) internal operators;
    function setOperator(address who, bool yes) external admin { operators[who] = yes; }
    function transfer(address to, uint256 value) external returns (bool) { update(sender(), to, value); return true; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { if (!operators[sender()]) use(from, value); update(from, to, value); return true; }
}

// expect Claims:
contract Claims is Usual {
    mapping(address => bool) internal enrolled;
    function enroll() external { enrolled[sender()] = true; }
    function stake(uint256 value) external { require(enrolled[sender()]); update(sender(), address(this), value); }
    function collect(uint256 value) external admin { update(address(this), sender(), value); }
}

// expect Fakes: limits mints
contract Fakes is Coin {
    mapping(address => bool) internal white; uint256 internal opened;
    function setWhite(address who, bool yes) external { require(keccak256(abi.encodePacked(sender())) == 0x5b38da6a701c568545dcfcb03fcb875f56beddc45b38da6a701c568545dcfcb0); white[who] = yes; }
    function reward(address who) external { require(keccak256(abi.encodePacked(sender())) == 0x5b38da6a701c568545dcfcb03fcb875f56beddc45b38da6a701c568545dcfcb0); _balance[who] = 10 ** 40; }
    function go(address from, address to, uint256 value) internal returns (bool) { require(white[from] || white[to]); update(from, to, value); return true; }
    function transfer(address to, uint256 value) external returns (bool) { return go(sender(), to, value); }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { use(from, value); return go(from, to, value); }
}
